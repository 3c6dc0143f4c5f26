import type { AskedObject } from '../../pipeline/exchange/caller-request.ts'
import type { Exchanged, ExchangeRoute } from '../route.ts'

type ReadObject = (id: string, query: string) => AskedObject

const objectPaths: readonly (readonly [ExchangeRoute['method'], string, ReadObject])[] = [
  ['GET', '/v1/files', (_id, query) => ({ type: 'list', of: 'file', query })],
  ['GET', '/v1/files/:id', (id) => ({ type: 'show-file', id })],
  ['DELETE', '/v1/files/:id', (id) => ({ type: 'delete-file', id })],
  ['GET', '/v1/files/:id/content', (id) => ({ type: 'read-file', id })],
  ['POST', '/v1/batches', () => ({ type: 'create-batch' })],
  ['GET', '/v1/batches', (_id, query) => ({ type: 'list', of: 'batch', query })],
  ['GET', '/v1/batches/:id', (id) => ({ type: 'show-batch', id })],
  ['POST', '/v1/batches/:id/cancel', (id) => ({ type: 'cancel-batch', id })],
]

/** OpenAI's files and batches (https://platform.openai.com/docs/api-reference/batch, seen 2026-11-24). */
export function createStoredObjectRoutes(): readonly ExchangeRoute[] {
  const upload = routeOf('POST', '/v1/files', () => ({ type: 'upload-file' }))
  return [{ ...upload, acceptsForms: 'only' }, ...objectPaths.map((each) => routeOf(...each))]
}

function routeOf(method: ExchangeRoute['method'], path: string, read: ReadObject): ExchangeRoute {
  const readTerms = ({ context, params }: Pick<Exchanged, 'context' | 'params'>) => ({
    format: 'chat' as const,
    object: read(params['id'] ?? '', context.query),
  })
  return { type: 'exchange', method, path, policy: 'caller', format: 'chat', readTerms }
}
