import { GatewayError } from '../../canonical/failure.ts'
import { createArraySink } from '../../pipeline/response/json-array-sink.ts'
import type { RequestTerms } from '../../wire/wire-format.ts'
import type { Exchanged, ExchangeTerms, ServerRoute } from '../route.ts'
import { geminiMethods } from './gemini-methods.ts'
import type { RouteOptions } from './route-options.ts'
import { findModelReply, listModelsReply } from './serve-model-list.ts'

/** The versions that official clients use. The model list of `/v1` is shared by all formats. */
const versions = ['/v1beta', '/v1alpha', '/v1'] as const

/** Gemini's own paths, which contain the name of the model and the method. */
export function createGeminiRoutes(options: RouteOptions): readonly ServerRoute[] {
  return [
    ...versions.map(
      (version): ServerRoute => ({
        type: 'exchange',
        method: 'POST',
        path: `${version}/models/*`,
        policy: 'caller',
        format: 'gemini',
        acceptsQueryKey: true,
        readTerms: readMethod,
      }),
    ),
    ...['/v1beta', '/v1alpha'].flatMap((version) => listRoutes(version, options)),
  ]
}

function listRoutes(version: string, { callerAccess }: RouteOptions): readonly ServerRoute[] {
  const common = {
    type: 'reply',
    method: 'GET',
    policy: 'caller',
    format: 'gemini',
    acceptsQueryKey: true,
  } as const
  return [
    {
      ...common,
      path: `${version}/models`,
      handle: (exchanged) => listModelsReply(exchanged, callerAccess, 'gemini'),
    },
    {
      ...common,
      path: `${version}/models/*`,
      handle: (exchanged) => findModelReply(exchanged, callerAccess, 'gemini'),
    },
  ]
}

function readMethod({ head, params }: Pick<Exchanged, 'head' | 'params'>): ExchangeTerms {
  const called = params['*'] ?? ''
  const colon = called.lastIndexOf(':')
  const method = geminiMethods.get(called.slice(colon + 1))
  const model = called.slice(0, Math.max(colon, 0)).replace(/^models\//, '')
  if (method === undefined || model === '') {
    throw new GatewayError('path_not_found', {
      message: `There is nothing at this path: a model's name, a colon and one of ${[...geminiMethods.keys()].join(', ')} are served below "models/". The base address is right.`,
    })
  }
  const { operation: format, isStream } = method
  const terms: RequestTerms = { model, isStream }
  const isArray = isStream && new URLSearchParams(head.query).get('alt') !== 'sse'
  return { format, terms, wrapSink: isArray ? createArraySink : undefined }
}
