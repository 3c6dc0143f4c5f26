/** Whether a name is an IANA time zone, such as `Europe/Berlin`, or an offset such as `+05:45`. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    // The error means that the name is unknown.
    return false
  }
}
