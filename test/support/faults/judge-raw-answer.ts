import { type Asked, ask, dataOfEvent, errorAtEnd, isTerminated, splitEvents } from '../ask.ts'
import { fieldsOf } from '../judged.ts'
import { type ExpectedCode, expectedCodes } from './expected-codes.ts'
import type { Outcome } from './expected-outcomes.ts'
import type { FaultCase } from './list-fault-cases.ts'

/** The text of a healthy upstream. */
export function writeHealthyText(words = 20): string {
  return Array.from({ length: words }, (_, index) => `word-${index + 1}`).join(' ')
}

/** The differences from the expectation in the bytes of an answer; empty where there are none. */
export async function judgeRawAnswer(one: FaultCase, url: string): Promise<readonly string[]> {
  const body = {
    model: one.model,
    max_tokens: 64,
    stream: one.form === 'stream',
    messages: [{ role: 'user', content: 'Hi' }],
  }
  const asked = await ask({ url, format: one.caller }, body)
  const problems = problemsOf(one, asked)
  return problems.length === 0 ? [] : [...problems, `it came: ${asked.status} ${brief(asked)}`]
}

function problemsOf(one: FaultCase, asked: Asked): string[] {
  switch (one.outcome.type) {
    case 'whole':
      return judgeWhole(one, asked)
    case 'error':
      return judgeError(one, one.outcome, asked)
    case 'event':
      return judgeEvent(one, expectedCodes[one.outcome.code], asked)
  }
}

function judgeWhole({ caller, form, outcome }: FaultCase, { status, body, isCut }: Asked): string[] {
  const text = body.toString()
  const said = form === 'stream' ? textOfStream(text) : textOfWhole(text)
  const problems = [...check('status', status, 200), ...check('is cut', isCut, false)]
  if (form === 'stream') problems.push(...check('is terminated', isTerminated(caller, text), true))
  if (outcome.type === 'whole' && outcome.text === 'same')
    problems.push(...check('text', said, writeHealthyText(outcome.words)))
  return problems
}

function judgeError(
  { caller }: FaultCase,
  outcome: Extract<Outcome, { type: 'error' }>,
  { status, headers, body, isCut }: Asked,
): string[] {
  const expected: ExpectedCode = expectedCodes[outcome.code]
  const error = fieldsOf(fieldsOf(parse(body.toString()))['error'])
  const problems = [
    ...check('status', status, outcome.status ?? statusOf(expected, caller)),
    ...check('is cut', isCut, false),
    ...check('content type', String(headers['content-type']).split(';')[0], 'application/json'),
    ...check('x-should-retry', headers['x-should-retry'], expected.retry === 'never' ? 'false' : undefined),
  ]
  // A request's own fault keeps the provider's words where the format is the same.
  if (expected.movesOn || expected.retry !== 'never') {
    problems.push(...check('type', error['type'], typeOf(expected, caller)))
    problems.push(...checkCode(error['code'], outcome, caller))
    if (outcome.message !== undefined) problems.push(...check('message', error['message'], outcome.message))
  } else if (body.length === 0) problems.push('the error has no words')
  return [...problems, ...judgeRetryAfter(expected, outcome, headers['retry-after'])]
}

function judgeRetryAfter(
  { retry }: ExpectedCode,
  { retryAfter = [1, 60] }: Extract<Outcome, { type: 'error' }>,
  header: string | undefined,
): string[] {
  if (retry !== 'wait') return check('retry-after', header, undefined)
  const isWell =
    /^\d+$/.test(header ?? '') && Number(header) >= retryAfter[0] && Number(header) <= retryAfter[1]
  return isWell ? [] : [`retry-after is ${header}, not ${retryAfter.join(' to ')}`]
}

function judgeEvent({ caller, outcome }: FaultCase, expected: ExpectedCode, asked: Asked): string[] {
  const text = asked.body.toString()
  const error = errorAtEnd(caller, text)
  const said = textOfStream(text)
  return [
    ...check('status', asked.status, 200),
    ...check('is cut', asked.isCut, true),
    ...check('is terminated', isTerminated(caller, text), false),
    ...(outcome.type === 'event' ? checkCode(error?.['code'], outcome, caller) : []),
    ...check('error type', error?.['type'], typeOf(expected, caller)),
    ...check('some words came', said.startsWith('word-1'), true),
  ]
}

export function statusOf({ status, messagesStatus }: ExpectedCode, caller: string): number {
  return caller === 'messages' ? (messagesStatus ?? status) : status
}

function typeOf({ type, messagesType }: ExpectedCode, caller: string): string {
  return caller === 'messages' ? (messagesType ?? type) : type
}

function codeOf(code: keyof typeof expectedCodes, caller: string): string {
  const { chatCode }: ExpectedCode = expectedCodes[code]
  return caller === 'chat' ? (chatCode ?? code) : code
}

function checkCode(
  found: unknown,
  { code }: Pick<Extract<Outcome, { type: 'error' }>, 'code'>,
  caller: string,
): string[] {
  return check('code', found, codeOf(code, caller))
}

function check(what: string, found: unknown, wanted: unknown): string[] {
  return found === wanted ? [] : [`${what} is ${brief(found)}, not ${brief(wanted)}`]
}

function brief(value: unknown): string {
  const text = typeof value === 'object' && value !== null && 'body' in value ? String(value.body) : value
  return JSON.stringify(text)?.slice(-400) ?? 'nothing'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function textOfStream(stream: string): string {
  return splitEvents(stream)
    .map((event) => {
      const data = fieldsOf(dataOfEvent(event))
      const [choice] = Array.isArray(data['choices']) ? data['choices'] : []
      const said = fieldsOf(fieldsOf(choice)['delta'])['content'] ?? fieldsOf(data['delta'])['text']
      return typeof said === 'string' ? said : ''
    })
    .join('')
}

function textOfWhole(body: string): unknown {
  const reply = fieldsOf(parse(body))
  const [choice] = Array.isArray(reply['choices']) ? reply['choices'] : []
  const [block] = Array.isArray(reply['content']) ? reply['content'] : []
  return fieldsOf(fieldsOf(choice)['message'])['content'] ?? fieldsOf(block)['text']
}
