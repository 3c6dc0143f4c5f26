/** Whether it is a name of the IANA's time zones, such as `Europe/Berlin`, or an offset such as `+05:45`. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    // A RangeError: the name is unknown.
    return false
  }
}
