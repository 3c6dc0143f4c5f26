/** Masks secrets in text, by their exact values and the forms in which they may be quoted. */
export interface Redactor {
  /** Remembers a secret for the life of the process. */
  add(secret: string): void
  /** Remembers a temporary secret. Only the latest temporary secrets are remembered. */
  addPassing(secret: string): void
  redact(text: string): string
}

const MASK = '[redacted]'
/** The mark at the end of a text that was cut. */
const CUT_MARK = '…'
/** The minimum length of a secret. Shorter values would mask ordinary words. */
const MIN_SECRET_CHARACTERS = 8
/** The limit of temporary secrets. No number of channels uses more at a time. */
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

/** Masks the secrets of both redactors. New secrets are added to the first one. */
export function joinRedactors(first: Redactor, second: Pick<Redactor, 'redact'>): Redactor {
  const { add, addPassing } = first
  return { add, addPassing, redact: (text) => second.redact(first.redact(text)) }
}

/**
 * Finds the forms of all secrets by their first characters. A text is read once, however many secrets there are. An
 * installation may have thousands of keys, and each answer's headers are redacted.
 */
class FormIndex {
  readonly #forms = new Set<string>()
  /**
   * The lengths of the forms with the same first characters, the longest first. Secrets of one vendor have the same
   * beginning.
   */
  readonly #lengths = new Map<string, readonly number[]>()
  /** Marks the hashes of these first characters. Other characters may have the same hash, so the map decides. */
  readonly #hashes = new Uint8Array(HASHES)
  readonly #waiting = new Set<string>()

  /** Adds a secret. Its forms are made at the next redaction, because a start must be fast. */
  add(secret: string): void {
    this.#waiting.add(secret)
  }

  /** Removes a secret. The lengths of its forms stay, which costs only a look-up in the set. */
  remove(secret: string): void {
    if (this.#waiting.delete(secret)) return
    for (const form of formsOf(secret)) this.#forms.delete(form)
  }

  /** Masks all forms. Overlapping forms become one mask, so that no part of either remains. */
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

  /**
   * The length of the longest form at this offset, or of the beginning of one with which the text ends: long texts of
   * providers are cut before they are masked. 0 where there is none.
   */
  #lengthAt(text: string, at: number): number {
    const lengths = this.#lengths.get(text.slice(at, at + MIN_SECRET_CHARACTERS))
    if (lengths === undefined) return 0
    const whole = lengths.find((length) => this.#forms.has(text.slice(at, at + length)))
    return whole ?? (text.length - at <= (lengths[0] ?? 0) ? this.#cutLengthAt(text, at) : 0)
  }

  /** The length of the rest of the text, if a form begins with it. A mark after the cut does not belong to it. */
  #cutLengthAt(text: string, at: number): number {
    const rest = text.slice(at, text.endsWith(CUT_MARK) ? -CUT_MARK.length : undefined)
    if (rest.length < MIN_SECRET_CHARACTERS) return 0
    for (const form of this.#forms) if (form.startsWith(rest)) return rest.length
    return 0
  }

  #makeForms(): void {
    if (this.#waiting.size === 0) return
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

/** Hashes four characters that differ among secrets with the same beginning, such as those of one vendor. */
function hashAt(text: string, at: number): number {
  const a = text.charCodeAt(at) ^ (text.charCodeAt(at + 3) << 6)
  const b = text.charCodeAt(at + 5) ^ (text.charCodeAt(at + 7) << 6)
  return ((a * 31) ^ (b * 131)) & (HASHES - 1)
}

/** A secret without characters that URLs or JSON escape. */
const PLAIN = /^[\w.~-]+$/

/** Lists the usual quoted forms of a text, and base64 where the secret is only a part of the encoded text. */
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

/** The base64 characters that depend only on the secret, with `offset` bytes before it, in both alphabets. */
function base64FormsAt(secret: string, offset: number): readonly string[] {
  const bytes = Buffer.from(' '.repeat(offset) + secret, 'utf8')
  const text = bytes.toString('base64').replace(/=+$/, '')
  // The first characters also depend on the bytes before the secret, and the last one on the bytes after it.
  const start = Math.ceil((offset * 4) / 3)
  const end = bytes.length % 3 === 0 ? text.length : text.length - 1
  const inner = text.slice(start, end)
  return offset === 0 ? [...alphabets(text), ...alphabets(inner)] : alphabets(inner)
}

function alphabets(base64: string): readonly string[] {
  const other = base64.replaceAll('+', '-').replaceAll('/', '_')
  return other === base64 ? [base64] : [base64, other]
}
