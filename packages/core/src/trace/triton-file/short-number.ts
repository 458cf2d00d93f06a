/** A number as C++ streams print it, with six digits: `0.705676`, `1e+06`, `1.5e-05`, `-nan` aside. */
export function shortNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  if (value === 0) return Object.is(value, -0) ? '-0' : '0'
  const [mantissa = '', power = ''] = value.toExponential(5).split('e')
  const exponent = Number(power)
  if (exponent >= -4 && exponent < 6) return withoutZeros(value.toFixed(5 - exponent))
  return `${withoutZeros(mantissa)}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

const withoutZeros = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text)
