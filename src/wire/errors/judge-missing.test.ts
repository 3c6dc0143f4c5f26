import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../kit/json/json.ts'
import { readError as readConverse } from '../converse/errors/read-error.ts'
import { readError as readGemini } from '../gemini/errors/read-error.ts'
import { readError as readMessages } from '../messages/errors/read-error.ts'
import { readError as readChat } from './read-error.ts'

type Read = typeof readChat

const google = (code: number, status: string, message: string, reason?: string): JsonObject => ({
  error: { code, status, message, ...(reason === undefined ? {} : { details: [detail(reason)] }) },
})

const detail = (reason: string) => ({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason })
const openai = (message: string, param: string | null = null, code: string | null = null): JsonObject => ({
  error: { message, type: 'invalid_request_error', param, code },
})

const anthropic = (type: string, message: string): JsonObject => ({ type: 'error', error: { type, message } })

const denied = (message: string, reason?: string) => google(403, 'PERMISSION_DENIED', message, reason)
const absent = (message: string) => google(404, 'NOT_FOUND', message)

/** Messages that tell by their words alone, whatever else is known of the request. */
const objects: readonly (readonly [Read, number, JsonObject])[] = [
  [readGemini, 403, denied('CachedContent not found (or permission denied)')],
  [readGemini, 403, denied("Permission 'aiplatform.cachedContents.get' denied.", 'IAM_PERMISSION_DENIED')],
  [readGemini, 403, denied('You do not have permission to access the File abc or it may not exist.')],
  [
    readGemini,
    403,
    denied('You do not have permission to access the File api key not valid or it may not exist.'),
  ],
  [
    readGemini,
    403,
    denied('x@y does not have storage.objects.get access to the Google Cloud Storage object.'),
  ],
  [readGemini, 404, absent('Not found: cached content metadata for 123.')],
  [readChat, 404, openai("Conversation with id 'conv_1' not found.")],
  [readChat, 404, openai("Conversation with id 'the model x does not exist' not found.")],
  [readChat, 404, openai("Item with id 'rs_1' not found. Items are not persisted.", 'input')],
  [readChat, 404, openai("Prompt with id 'pmpt_1' not found.", 'prompt.id')],
  [readChat, 404, openai("Vector store with id 'vs_1' not found.")],
  [readChat, 404, openai('The file you named could not be had.', 'input')],
  [readChat, 404, openai('No such File object: file-1', 'file_id')],
  [readChat, 404, openai('No endpoints found that support image input')],
  [readMessages, 404, anthropic('not_found_error', 'File not found: file_1')],
  [readMessages, 404, anthropic('not_found_error', 'File not found: credit balance is too low')],
  [readMessages, 404, anthropic('not_found_error', 'Container container_1 was not found.')],
  [
    readConverse,
    403,
    { __type: 'AccessDeniedException', message: 'Not authorized to perform: s3:GetObject' },
  ],
]

/** Only where the request named an object. */
const unsaid: readonly (readonly [Read, number, JsonObject, string])[] = [
  [readGemini, 403, denied('The caller does not have permission'), 'upstream_credential'],
  [readGemini, 404, absent('Requested entity was not found.'), 'upstream_model_missing'],
  [readChat, 404, openai('Not found'), 'upstream_model_missing'],
  [readChat, 403, openai('Forbidden'), 'upstream_credential'],
  [readMessages, 404, anthropic('not_found_error', 'Not found'), 'upstream_model_missing'],
  [readMessages, 403, anthropic('permission_error', 'No access.'), 'upstream_credential'],
  [
    readConverse,
    404,
    { __type: 'ResourceNotFoundException', message: 'Not here.' },
    'upstream_model_missing',
  ],
]

/** Whatever the request named. */
const ours: readonly (readonly [Read, number, JsonObject, string])[] = [
  [readGemini, 404, absent('models/m is not found for API version v1beta.'), 'upstream_model_missing'],
  [readGemini, 404, absent('Publisher Model `projects/p/models/m` was not found.'), 'upstream_model_missing'],
  [
    readGemini,
    400,
    google(400, 'FAILED_PRECONDITION', 'Project 1 is not allowed to use Publisher Model `m`.'),
    'upstream_model_missing',
  ],
  [
    readGemini,
    403,
    denied('The project is not allowed to use Publisher Model `m`.'),
    'upstream_model_missing',
  ],
  [readGemini, 403, denied('Method doesn’t allow unregistered callers.'), 'upstream_credential'],
  [readGemini, 403, denied('It is disabled.', 'SERVICE_DISABLED'), 'upstream_credential'],
  [readChat, 404, openai('The model `m` does not exist.', null, 'model_not_found'), 'upstream_model_missing'],
  [readChat, 404, openai('Gone.', null, 'DeploymentNotFound'), 'upstream_model_missing'],
  [readChat, 404, openai('x', 'model'), 'upstream_model_missing'],
  [readChat, 404, { error: "model 'm:latest' not found" }, 'upstream_model_missing'],
  [readChat, 403, openai('Incorrect API key provided'), 'upstream_credential'],
  [readChat, 403, openai('Project p does not have access to model `m`'), 'upstream_credential'],
  [readMessages, 404, anthropic('not_found_error', 'model: m'), 'upstream_model_missing'],
  [readMessages, 403, anthropic('permission_error', 'This organization is disabled.'), 'upstream_credential'],
  [
    readConverse,
    404,
    { __type: 'ResourceNotFoundException', message: 'The model is not found.' },
    'upstream_model_missing',
  ],
]

function codeOf(read: Read, status: number, body: JsonObject, namesStoredObjects?: boolean): string {
  const more = namesStoredObjects === undefined ? {} : { namesStoredObjects }
  return read({ status, headers: {}, body: Buffer.from(JSON.stringify(body)), ...more }).code
}

describe('an upstream answer that denies access or finds nothing', () => {
  it.each(objects)('%o %i %j means an object of the caller', (read, status, body) => {
    expect(codeOf(read, status, body)).toBe('upstream_rejected')
    expect(codeOf(read, status, body, true)).toBe('upstream_rejected')
  })

  it.each(unsaid)('%o %i %j means an object if the request names one', (read, status, body, otherwise) => {
    expect(codeOf(read, status, body, true)).toBe('upstream_rejected')
    expect(codeOf(read, status, body)).toBe(otherwise)
  })

  it.each(ours)('%o %i %j means our own configuration', (read, status, body, code) => {
    expect(codeOf(read, status, body)).toBe(code)
    expect(codeOf(read, status, body, true)).toBe(code)
  })

  it('gives the caller the provider’s message', () => {
    const body = Buffer.from(JSON.stringify(openai("Prompt with id 'p' not found.", 'prompt.id')))
    const failure = readChat({ status: 404, headers: {}, body })
    expect(failure).toMatchObject({
      message: "Prompt with id 'p' not found.",
      param: 'prompt.id',
      upstream: { body },
    })
  })

  it('without a message means a missing path', () => {
    const answer = { status: 404, headers: {}, namesStoredObjects: true }
    for (const read of [readChat, readGemini, readMessages, readConverse]) {
      expect(read({ ...answer, body: Buffer.from('') }).code).toBe('upstream_model_missing')
    }
  })
})
