import { jsonAnswer, type ScriptedAnswer } from '../scripted-upstream.ts'

/** The answer that a provider gives when all is well: one object, lines of JSON, or bytes of any kind. */
export type AnswerKind = 'json' | 'lines' | 'bytes'

/** A fault of a provider, and what its caller gets. */
export interface ObjectFault {
  readonly name: string
  readonly answer: (kind: AnswerKind) => ScriptedAnswer
  /** The status; `broken` where the answer has begun and then breaks off. Undefined where such an answer is sound. */
  readonly expected: (kind: AnswerKind) => number | 'broken' | undefined
  /** Whether the provider may have done what it was asked. */
  readonly isUncertain: boolean
}

const words = 'No such File object: file-REMOTE1234567, msgbatch_REMOTE1234567, files/remote0000000001'
const error = (status: number, more: Readonly<Record<string, string>> = {}) => {
  const body = { type: 'error', error: { type: 'api_error', message: words, code: status }, status }
  const { headers, ...answer } = jsonAnswer(body, status)
  return { ...answer, headers: { ...headers, ...more } }
}
const line = `${JSON.stringify({ custom_id: 'a', result: { type: 'canceled' } })}\n`

export const silence: ObjectFault = {
  name: 'silence',
  answer: () => ({ ending: 'silence' }),
  expected: () => 504,
  isUncertain: true,
}

export const objectFaults: readonly ObjectFault[] = [
  { name: 'reset', answer: () => ({ ending: 'reset' }), expected: () => 502, isUncertain: true },
  {
    name: 'cut',
    answer: (kind) => ({
      headers: {
        'content-type': kind === 'json' ? 'application/json' : 'text/plain',
        'content-length': '100000',
      },
      chunks: [kind === 'json' ? '{"id":' : line],
      ending: 'half-close',
    }),
    expected: (kind) => (kind === 'json' ? 502 : 'broken'),
    isUncertain: true,
  },
  {
    name: '429',
    answer: () => error(429, { 'retry-after': '7' }),
    expected: () => 429,
    isUncertain: false,
  },
  { name: '500', answer: () => error(500), expected: () => 502, isUncertain: false },
  { name: '503', answer: () => error(503), expected: () => 503, isUncertain: false },
  { name: '401', answer: () => error(401), expected: () => 502, isUncertain: false },
  {
    name: 'a page under 200',
    answer: () => ({ headers: { 'content-type': 'text/html' }, chunks: ['<html>REMOTE</html>'] }),
    expected: (kind) => (kind === 'bytes' ? undefined : 502),
    isUncertain: true,
  },
  {
    name: 'too large',
    answer: () => jsonAnswer({ id: 'x', padding: 'x'.repeat(2 * 1024 ** 2) }),
    expected: (kind) => (kind === 'json' ? 502 : undefined),
    isUncertain: true,
  },
]
