import type { IncomingHttpHeaders } from 'node:http'
import { GatewayError } from '../../canonical/failure.ts'
import type {
  RequestedGeminiFile,
  RequestedMessageBatch,
  RequestedMessageFile,
  RequestedObject,
} from '../../pipeline/exchange/caller-request.ts'
import type { Exchanged, ExchangeRoute, ExchangeTerms } from '../route.ts'

/** Reads what a path asks for. `id` is empty if the path names no object. */
export type ReadObject = (id: string) => RequestedObject
export type ObjectPaths = readonly (readonly [ExchangeRoute['method'], string, ReadObject])[]

/** OpenAI's batches (https://platform.openai.com/docs/api-reference/batch, seen 2026-11-24). */
const openaiPaths: ObjectPaths = [
  ['POST', '/v1/batches', () => ({ type: 'create-batch' })],
  ['GET', '/v1/batches', () => ({ type: 'list', of: 'batch' })],
  ['GET', '/v1/batches/:id', (id) => ({ type: 'show-batch', id })],
  ['POST', '/v1/batches/:id/cancel', (id) => ({ type: 'cancel-batch', id })],
]

const messageBatch = (action: RequestedMessageBatch['action']): ReadObject => {
  return (id) => ({ type: 'message-batch', action, id })
}

/** Anthropic's batches (https://platform.claude.com/docs/en/api/creating-message-batches, seen 2026-11-25). */
const messagePaths: ObjectPaths = [
  ['POST', '/v1/messages/batches', messageBatch('create')],
  ['GET', '/v1/messages/batches', messageBatch('list')],
  ['GET', '/v1/messages/batches/:id', messageBatch('show')],
  ['GET', '/v1/messages/batches/:id/results', messageBatch('results')],
  ['POST', '/v1/messages/batches/:id/cancel', messageBatch('cancel')],
  ['DELETE', '/v1/messages/batches/:id', messageBatch('delete')],
]

interface FileForms {
  readonly openai: ReadObject
  readonly messages: ReadObject
  /** Absent where Gemini has no such path. */
  readonly gemini?: ReadObject
}

const messageFile = (action: RequestedMessageFile['action']): ReadObject => {
  return (id) => ({ type: 'message-file', action, id })
}

export const geminiFile = (action: RequestedGeminiFile['action']): ReadObject => {
  return (id) => ({ type: 'gemini-file', action, id })
}

/** The files of all three formats, which share their paths. */
const filePaths: readonly (readonly [ExchangeRoute['method'], string, FileForms])[] = [
  ['POST', '/v1/files', { openai: () => ({ type: 'upload-file' }), messages: messageFile('upload') }],
  [
    'GET',
    '/v1/files',
    {
      openai: () => ({ type: 'list', of: 'file' }),
      messages: messageFile('list'),
      gemini: geminiFile('list'),
    },
  ],
  [
    'GET',
    '/v1/files/:id',
    {
      openai: (id) => ({ type: 'show-file', id }),
      messages: messageFile('show'),
      gemini: geminiFile('show'),
    },
  ],
  [
    'DELETE',
    '/v1/files/:id',
    {
      openai: (id) => ({ type: 'delete-file', id }),
      messages: messageFile('delete'),
      gemini: geminiFile('delete'),
    },
  ],
  [
    'GET',
    '/v1/files/:id/content',
    { openai: (id) => ({ type: 'read-file', id }), messages: messageFile('content') },
  ],
]

/** The files and batches in the formats of OpenAI and Anthropic. */
export function createStoredObjectRoutes(): readonly ExchangeRoute[] {
  return [
    ...openaiPaths.map(
      ([method, path, read]): ExchangeRoute => ({
        ...routeOf(method, path, (headers) => refuseGoogle(headers, read)),
        guessesFormat: true,
      }),
    ),
    ...messagePaths.map(([method, path, read]) =>
      routeOf(method, path, () => ({ format: 'messages', read })),
    ),
    ...filePaths.map(([method, path, forms]): ExchangeRoute => {
      const route = routeOf(method, path, (headers) => chooseForm(headers, forms))
      return { ...route, guessesFormat: true, ...(method === 'POST' && { acceptsForms: 'only' }) }
    }),
  ]
}

/** Throws `GatewayError` (404) on clients of Google, which would take a list of OpenAI's for an empty one of theirs. */
function refuseGoogle(headers: IncomingHttpHeaders, read: ReadObject): ChosenForm {
  if (guessFileFormat(headers) !== 'gemini') return { format: 'chat', read }
  throw new GatewayError('path_not_found', {
    message: 'Batches of the Gemini API are not served by this gateway. The base address is right.',
  })
}

function chooseForm(headers: IncomingHttpHeaders, { openai, messages, gemini }: FileForms): ChosenForm {
  const format = guessFileFormat(headers)
  if (format === 'messages') return { format, read: messages }
  if (format === 'gemini' && gemini !== undefined) return { format, read: gemini }
  return { format: 'chat', read: openai }
}

/**
 * Guesses the format of a file request. Clients of Anthropic send their version. Clients of Anthropic and Google send
 * their key in a special header.
 */
export function guessFileFormat(headers: IncomingHttpHeaders): ChosenForm['format'] {
  if (headers['anthropic-version'] !== undefined) return 'messages'
  if (headers.authorization !== undefined) return 'chat'
  if (headers['x-api-key'] !== undefined) return 'messages'
  return headers['x-goog-api-key'] === undefined ? 'chat' : 'gemini'
}

interface ChosenForm {
  readonly format: 'chat' | 'messages' | 'gemini'
  readonly read: ReadObject
}

function routeOf(
  method: ExchangeRoute['method'],
  path: string,
  choose: (headers: IncomingHttpHeaders) => ChosenForm,
): ExchangeRoute {
  const readTerms = ({ head, params }: Pick<Exchanged, 'head' | 'params'>): ExchangeTerms => {
    const { format, read } = choose(head.message.headers)
    return { format, object: read(params['id'] ?? '') }
  }
  const { format } = choose({})
  return { type: 'exchange', method, path, policy: 'caller', format, readTerms }
}
