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
  const forms = new FormIndex()
  const known = new Set<string>()
  const passing = new Set<string>()

  function add(secret: string) {
    if (secret.length < MIN_SECRET_CHARACTERS || known.has(secret)) return
    known.add(secret)
    forms.add(secret)
  }

  function addPassing(secret: string) {
    if (secret.length < MIN_SECRET_CHARACTERS || passing.has(secret)) return
    passing.add(secret)
    forms.add(secret)
    const [oldest] = passing
    if (passing.size <= MAX_TEMPORARY_SECRETS || oldest === undefined) return
    passing.delete(oldest)
    if (!known.has(oldest)) forms.remove(oldest)
  }

  for (const secret of secrets) add(secret)
  return { add, addPassing, redact: (text) => forms.mask(text) }
}

/** Takes the secrets of both out of text, and remembers new ones as the first does. */
export function joinRedactors(first: Redactor, second: Pick<Redactor, 'redact'>): Redactor {
  const { add, addPassing } = first
  return { add, addPassing, redact: (text) => second.redact(first.redact(text)) }
}

/**
 * The forms of all secrets, found by their first characters: text is read once, however many secrets there are. An
 * installation may have thousands of keys, and each answer's headers are redacted.
 */
class FormIndex {
  readonly #forms = new Set<string>()
  /** The lengths of the forms with the same first characters, the longest first: secrets of one vendor begin alike. */
  readonly #lengths = new Map<string, readonly number[]>()
  /** Marks the hashes of those first characters. A mark may be that of other characters, so the map decides. */
  readonly #hashes = new Uint8Array(HASHES)
  readonly #waiting = new Set<string>()

  /** The forms are made when text is next redacted: a start has no time to lose. */
  add(secret: string): void {
    this.#waiting.add(secret)
  }

  /** The lengths of its forms stay, which costs a look into the set. */
  remove(secret: string): void {
    if (this.#waiting.delete(secret)) return
    for (const form of formsOf(secret)) this.#forms.delete(form)
  }

  /** Forms that overlap in the text become one mask, so that no part of either is left. */
  mask(text: string): string {
    this.#makeForms()
    let clean = ''
    let copied = 0
    let maskEnd = 0
    for (let at = 0; at <= text.length - MIN_SECRET_CHARACTERS; at += 1) {
      const length = this.#hashes[hashAt(text, at)] === 1 ? this.#lengthAt(text, at) : 0
      if (length === 0) continue
      if (at >= maskEnd) {
        clean += text.slice(copied, at) + MASK
        copied = at
      }
      maskEnd = Math.max(maskEnd, at + length)
      copied = maskEnd
    }
    return copied === 0 ? text : clean + text.slice(copied)
  }

  /** The length of the longest form that stands there; 0 without one. */
  #lengthAt(text: string, at: number): number {
    const lengths = this.#lengths.get(text.slice(at, at + MIN_SECRET_CHARACTERS))
    return lengths?.find((length) => this.#forms.has(text.slice(at, at + length))) ?? 0
  }

  #makeForms(): void {
    for (const secret of this.#waiting) {
      for (const form of formsOf(secret)) this.#addForm(form)
    }
    this.#waiting.clear()
  }

  #addForm(form: string): void {
    const { length } = form
    const start = form.slice(0, MIN_SECRET_CHARACTERS)
    const lengths = this.#lengths.get(start) ?? []
    if (!lengths.includes(length)) {
      this.#lengths.set(
        start,
        [...lengths, length].sort((a, b) => b - a),
      )
    }
    this.#forms.add(form)
    this.#hashes[hashAt(form, 0)] = 1
  }
}

const HASHES = 2 ** 16

/** A hash of four characters that differ among secrets whose first ones are the same, as those of one vendor are. */
function hashAt(text: string, at: number): number {
  const a = text.charCodeAt(at) ^ (text.charCodeAt(at + 3) << 6)
  const b = text.charCodeAt(at + 5) ^ (text.charCodeAt(at + 7) << 6)
  return ((a * 31) ^ (b * 131)) & (HASHES - 1)
}

/** Secrets without a character that is written otherwise in URLs or JSON. */
const PLAIN = /^[\w.~-]+$/

/** The ways in which text is commonly quoted, and base64 where the secret is only a part of what was encoded. */
function formsOf(secret: string): readonly string[] {
  const hex = Buffer.from(secret, 'utf8').toString('hex')
  const forms = PLAIN.test(secret) ? [secret] : [secret, ...escapedFormsOf(secret)]
  return [...forms, hex, hex.toUpperCase(), ...[0, 1, 2].flatMap((offset) => base64FormsAt(secret, offset))]
}

function escapedFormsOf(secret: string): readonly string[] {
  const encoded = encodeURIComponent(secret)
  const escaped = JSON.stringify(secret).slice(1, -1)
  return [
    encoded,
    encoded.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
    encoded.replaceAll('%20', '+'),
    escaped,
    escaped.replaceAll('/', '\\/'),
  ]
}

/** The base64 characters that depend on the secret alone, with this many bytes before it; in both alphabets. */
function base64FormsAt(secret: string, offset: number): readonly string[] {
  const bytes = Buffer.from(' '.repeat(offset) + secret, 'utf8')
  const text = bytes.toString('base64').replace(/=+$/, '')
  // The first characters mix with what stands before, the last one with what follows.
  const start = Math.ceil((offset * 4) / 3)
  const end = bytes.length % 3 === 0 ? text.length : text.length - 1
  const inner = text.slice(start, end)
  return offset === 0 ? [...alphabets(text), ...alphabets(inner)] : alphabets(inner)
}

function alphabets(base64: string): readonly string[] {
  const other = base64.replaceAll('+', '-').replaceAll('/', '_')
  return other === base64 ? [base64] : [base64, other]
}
