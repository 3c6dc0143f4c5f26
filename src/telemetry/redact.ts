/** Takes secrets out of text, by their exact value and the forms in which they may be quoted. */
export interface Redactor {
  /** Remembers a secret for as long as the process lives. */
  add(secret: string): void
  /** Remembers one that expires; of these only the latest are remembered. */
  addPassing(secret: string): void
  redact(text: string): string
}

const MASK = '[redacted]'
/** Shorter values would mask ordinary words. */
const MIN_SECRET_CHARACTERS = 8
/** The most temporary secrets; no number of channels has more in use at a time. */
const MAX_TEMPORARY_SECRETS = 256

export function createRedactor(secrets: Iterable<string> = []): Redactor {
  const forms = new Set<string>()
  const passing = new Set<string>()
  let formsByLength: readonly string[] = []

  function add(secret: string) {
    if (secret.length < MIN_SECRET_CHARACTERS) return
    for (const form of formsOf(secret)) forms.add(form)
    sort()
  }

  function addPassing(secret: string) {
    if (secret.length < MIN_SECRET_CHARACTERS || passing.has(secret)) return
    passing.add(secret)
    const [oldest] = passing
    if (passing.size > MAX_TEMPORARY_SECRETS && oldest !== undefined) passing.delete(oldest)
    sort()
  }

  function sort() {
    const all = new Set([...forms, ...[...passing].flatMap(formsOf)])
    formsByLength = [...all].sort((a, b) => b.length - a.length)
  }

  for (const secret of secrets) add(secret)
  return {
    add,
    addPassing,
    redact(text) {
      let clean = text
      for (const form of formsByLength) {
        if (clean.includes(form)) clean = clean.replaceAll(form, MASK)
      }
      return clean
    },
  }
}

/** The ways in which text is commonly quoted, and base64 where the secret is only a part of what was encoded. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret, 'utf8')
  const hex = bytes.toString('hex')
  const encoded = encodeURIComponent(secret)
  const escaped = JSON.stringify(secret).slice(1, -1)
  return [
    secret,
    encoded,
    encoded.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
    encoded.replaceAll('%20', '+'),
    escaped,
    escaped.replaceAll('/', '\\/'),
    hex,
    hex.toUpperCase(),
    ...[0, 1, 2].flatMap((offset) => base64FormsAt(bytes, offset)),
  ]
}

/** The base64 characters that depend on the secret alone, with this many bytes before it; in both alphabets. */
function base64FormsAt(bytes: Buffer, offset: number): readonly string[] {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replace(/=+$/, '')
  // The first characters mix with what stands before, the last one with what follows.
  const start = Math.ceil((offset * 4) / 3)
  const end = (offset + bytes.length) % 3 === 0 ? text.length : text.length - 1
  const inner = text.slice(start, end)
  return offset === 0 ? [...alphabets(text), ...alphabets(inner)] : alphabets(inner)
}

function alphabets(base64: string): readonly string[] {
  return [base64, base64.replaceAll('+', '-').replaceAll('/', '_')]
}
