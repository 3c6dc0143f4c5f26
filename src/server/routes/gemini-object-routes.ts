import type { RequestedCachedContent } from '../../pipeline/exchange/caller-request.ts'
import type { Exchanged, ExchangeRoute } from '../route.ts'
import { geminiFile, type ObjectPaths, type ReadObject } from './object-routes.ts'

const cache = (action: RequestedCachedContent['action']): ReadObject => {
  return (id) => ({ type: 'cached-content', action, id })
}

const filePaths: ObjectPaths = [
  ['GET', '/files', geminiFile('list')],
  ['GET', '/files/:id', geminiFile('show')],
  ['DELETE', '/files/:id', geminiFile('delete')],
]

const cachePaths: ObjectPaths = [
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
  const below = (version: string, paths: ObjectPaths) =>
    paths.map(([method, path, read]) => routeOf(method, version + path, read))
  return [
    ...['/v1beta', '/v1alpha'].flatMap((version) => below(version, filePaths)),
    ...['/v1beta', '/v1alpha', '/v1'].flatMap((version) => [
      ...below(version, cachePaths),
      routeOf('POST', `/upload${version}/files`, geminiFile('start')),
    ]),
    // The address of an upload session is defined by the gateway.
    { ...routeOf('POST', '/upload/v1beta/sessions/:id', geminiFile('continue')), acceptsForms: 'bytes' },
  ]
}

function routeOf(method: ExchangeRoute['method'], path: string, read: ReadObject): ExchangeRoute {
  const readTerms = ({ params }: Pick<Exchanged, 'params'>) => ({
    format: 'gemini' as const,
    object: read(params['id'] ?? ''),
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
