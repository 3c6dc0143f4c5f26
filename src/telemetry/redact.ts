/** Takes secrets out of text, by their exact value and the forms in which they may be quoted. */
export interface Redactor {
  /** Remembers a secret for as long as the process lives. */
  add(secret: string): void
  redact(text: string): string
}

const MASK = '[redacted]'
/** Shorter values would mask ordinary words. */
const SHORTEST_SECRET = 8

export function createRedactor(secrets: Iterable<string> = []): Redactor {
  const forms = new Set<string>()
  let longestFirst: readonly string[] = []

  function add(secret: string) {
    if (secret.length < SHORTEST_SECRET) return
    const bytes = Buffer.from(secret, 'utf8')
    for (const form of [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      bytes.toString('base64'),
      bytes.toString('base64').replace(/=+$/, ''),
      bytes.toString('base64url'),
      bytes.toString('hex'),
    ]) {
      forms.add(form)
    }
    longestFirst = [...forms].sort((a, b) => b.length - a.length)
  }

  for (const secret of secrets) add(secret)
  return {
    add,
    redact(text) {
      let clean = text
      for (const form of longestFirst) {
        if (clean.includes(form)) clean = clean.replaceAll(form, MASK)
      }
      return clean
    },
  }
}
