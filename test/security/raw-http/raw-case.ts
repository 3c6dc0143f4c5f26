import { testKey } from '../../support/start-gateway.ts'

/** Bytes for a connection, and what must come back. */
export interface RawCase {
  readonly name: string
  /** One character for each byte. A sound request follows them on the same connection. */
  readonly bytes: string
  /** Each answer as its status and, for errors, its code: `400 invalid_json`. */
  readonly answers: readonly string[]
  /** Whether the connection takes the request that follows. */
  readonly after: 'open' | 'closed'
  /** The answers to these requests have no body, whatever their headers say. */
  readonly isHead?: boolean
  /** Headers that the first final answer must have. */
  readonly headers?: Readonly<Record<string, string>>
  /** Words that the first final answer's body must hold. */
  readonly says?: string
}

/** Larger bodies are refused by the gateway under test. */
export const bodyLimit = 65_536

/** The mark that the upstream must never see: it comes only from bytes that are part of another request. */
export const SMUGGLED = 'SMUGGLED-d41d8cd9'

export interface RawParts {
  readonly line?: string
  /** After `host`, `authorization` and `content-type`, which stand where `without` does not name them. */
  readonly headers?: readonly string[]
  readonly without?: readonly ('host' | 'authorization' | 'content-type' | 'content-length')[]
  readonly body?: string
}

/** A request as its bytes; a content length is added where there is a body and nothing else is said. */
export function raw({ line = chatLine, headers = [], without = [], body = '' }: RawParts = {}): string {
  const usual = {
    host: 'gateway.test',
    authorization: `Bearer ${testKey}`,
    'content-type': 'application/json',
    ...(body === '' ? {} : { 'content-length': String(body.length) }),
  }
  const left: readonly string[] = without
  const lines = Object.entries(usual).filter(([name]) => !left.includes(name))
  return [line, ...lines.map(([name, value]) => `${name}: ${value}`), ...headers, '', body].join('\r\n')
}

export const chatLine = 'POST /v1/chat/completions HTTP/1.1'

/** A sound body whose words the upstream gives back. */
export function chatBody(content = 'CASE'): string {
  return JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] })
}

/** A sound request. */
export function chat(parts: RawParts = {}): string {
  return raw({ body: chatBody(), ...parts })
}

/** A whole request that would be served, if it were taken for one. */
export const smuggled = raw({ body: chatBody(SMUGGLED) })

/** Text as the bytes of its UTF-8, one character each. */
export function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

export function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`
}

/** A sound body in one chunk, and the end. */
export const chunkedBody = `${chunk(chatBody())}0\r\n\r\n`

/** A request whose framing the caller says himself. */
export function framed(headers: readonly string[], body: string, line = chatLine): string {
  return raw({ line, headers, body, without: ['content-length'] })
}
