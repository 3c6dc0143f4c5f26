import { describe, expect, it } from 'vitest'
import { readError as readChat } from '../errors/read-error.ts'
import { readError as readGemini } from '../gemini/errors/read-error.ts'
import { readError as readMessages } from '../messages/errors/read-error.ts'
import { withoutQuotes } from './without-quotes.ts'

const answer = (error: object) => ({
  status: 400,
  headers: {},
  body: Buffer.from(JSON.stringify({ type: 'error', error })),
})

describe('a quotation of the request in a provider’s error', () => {
  it.each([
    ["Unknown parameter: 'invalid api key'.", 'Unknown parameter: ….'],
    ["Unknown parameter: 'a' invalid api key 'b'.", 'Unknown parameter: ….'],
    ['Unknown name "a\nb": no field.', 'Unknown name …: no field.'],
    ["You don't have credit, it isn't enough.", "You don't have credit, it isn't enough."],
    ['Unrecognized request argument supplied: invalid api key', 'Unrecognized request argument supplied'],
  ])('is left out of %j', (message, rest) => {
    expect(withoutQuotes(message)).toBe(rest)
  })

  it.each([
    "Invalid 'input[0].file_id': 'invalid api key'. Expected an ID that begins with 'file'.",
    "Unknown parameter: 'insufficient_quota'.",
    'Unrecognized request argument supplied: model_not_found',
  ])('shuts no credential of a chat channel: %s', (message) => {
    expect(readChat(answer({ message, type: 'invalid_request_error' })).code).toBe('upstream_rejected')
  })

  it.each(['api key not valid', 'user location is not supported', 'not allowed to use publisher model'])(
    'shuts no credential of a Gemini channel: %s',
    (name) => {
      const message = `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`
      for (const status of ['INVALID_ARGUMENT', 'FAILED_PRECONDITION'])
        expect(readGemini(answer({ code: 400, status, message })).code).toBe('upstream_rejected')
    },
  )

  it('shuts no credential of a messages channel', () => {
    const error = { type: 'invalid_request_error', message: "Invalid id 'credit balance is too low'." }
    expect(readMessages(answer(error)).code).toBe('upstream_rejected')
  })

  it('does not hide the provider’s own message', () => {
    expect(readChat(answer({ message: 'The model `m` does not exist.' })).code).toBe('upstream_model_missing')
    expect(readChat(answer({ message: 'Incorrect API key provided: "k".' })).code).toBe('upstream_credential')
  })
})

it('reads a long message with unclosed quotation marks in one pass', () => {
  expect(withoutQuotes('"a '.repeat(700_000))).toHaveLength(2_100_000)
})
