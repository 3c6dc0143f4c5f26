import type {
  RequestedCachedContent,
  RequestedGeminiFile,
  RequestedObject,
} from '../../pipeline/exchange/caller-request.ts'
import type { Exchanged, ExchangeRoute } from '../route.ts'

type ReadObject = (id: string, query: string) => RequestedObject
type Paths = readonly (readonly [ExchangeRoute['method'], string, ReadObject])[]

const file = (action: RequestedGeminiFile['action']): ReadObject => {
  return (id, query) => ({ type: 'gemini-file', action, id, query })
}

const cache = (action: RequestedCachedContent['action']): ReadObject => {
  return (id, query) => ({ type: 'cached-content', action, id, query })
}

const filePaths: Paths = [
  ['GET', '/files', file('list')],
  ['GET', '/files/:id', file('show')],
  ['DELETE', '/files/:id', file('delete')],
]

const cachePaths: Paths = [
  ['POST', '/cachedContents', cache('create')],
  ['GET', '/cachedContents', cache('list')],
  ['GET', '/cachedContents/:id', cache('show')],
  ['PATCH', '/cachedContents/:id', cache('change')],
  ['DELETE', '/cachedContents/:id', cache('delete')],
]

/**
 * Gemini's files and cached contents (https://ai.google.dev/api/files and /caching, seen 2026-11-25). The files of
 * `/v1` have the paths of other formats: see `createStoredObjectRoutes`.
 */
export function createGeminiObjectRoutes(): readonly ExchangeRoute[] {
  const below = (version: string, paths: Paths) =>
    paths.map(([method, path, read]) => routeOf(method, version + path, read))
  return [
    ...['/v1beta', '/v1alpha'].flatMap((version) => below(version, filePaths)),
    ...['/v1beta', '/v1alpha', '/v1'].flatMap((version) => [
      ...below(version, cachePaths),
      routeOf('POST', `/upload${version}/files`, file('start')),
    ]),
    // The address of an upload session is defined by the gateway.
    { ...routeOf('POST', '/upload/v1beta/sessions/:id', file('continue')), acceptsForms: 'bytes' },
  ]
}

function routeOf(method: ExchangeRoute['method'], path: string, read: ReadObject): ExchangeRoute {
  const readTerms = ({ head, params }: Pick<Exchanged, 'head' | 'params'>) => ({
    format: 'gemini' as const,
    object: read(params['id'] ?? '', head.query),
  })
  return {
    type: 'exchange',
    method,
    path,
    policy: 'caller',
    format: 'gemini',
    acceptsQueryKey: true,
    readTerms,
  }
}
