const plain = new Intl.NumberFormat('en', { useGrouping: false, maximumFractionDigits: 20 })

/** A number as the field of a form shows it: in digits alone, as `readAmount` refuses an exponent such as `1e-7`. */
export function writeAmount(amount: number): string {
  const text = String(amount)
  return text.includes('e') ? plain.format(amount) : text
}
