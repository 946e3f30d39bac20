// fmt itself, compiled once: header-only, each unit that formats text would compile it anew. Its functions are weak, as
// inline ones are, so that a program may link a fmt of its own beside a static core.
#include <fmt/format.h>

#undef FMT_FUNC
#define FMT_FUNC __attribute__((weak))
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);

}  // namespace detail
FMT_END_NAMESPACE
