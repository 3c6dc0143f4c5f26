const MAX_SECONDS = 60

/** How long the upstream asks to wait, as whole seconds from 1 to 60; undefined where it does not say. */
export function readRetryAfter(headers: Readonly<Record<string, string | undefined>>): number | undefined {
  const milliseconds = readNumber(headers['retry-after-ms'])
  const seconds =
    milliseconds === undefined || milliseconds === 0 ? readSeconds(headers) : milliseconds / 1000
  if (seconds === undefined) return undefined
  return Math.min(MAX_SECONDS, Math.max(1, Math.ceil(seconds)))
}

/** A date is measured from the answer's own, since our clock may differ. */
function readSeconds(headers: Readonly<Record<string, string | undefined>>): number | undefined {
  const text = headers['retry-after']
  const seconds = readNumber(text)
  if (seconds !== undefined || text === undefined) return seconds
  const wait = Date.parse(text) - Date.parse(headers['date'] ?? '')
  return Number.isNaN(wait) ? undefined : wait / 1000
}

function readNumber(text: string | undefined): number | undefined {
  if (text === undefined || text.trim() === '') return undefined
  const value = Number(text)
  return Number.isFinite(value) && value >= 0 ? value : undefined
}
