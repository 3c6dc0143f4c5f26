import { GatewayError } from '../../canonical/failure.ts'
import type { OperationId } from '../../canonical/format.ts'
import { modelNotFound } from '../../canonical/model-not-found.ts'
import { isJsonObject } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import type { CallerAccess } from '../../pipeline/caller-access.ts'
import type { ListedModel } from '../../wire/model-list/listed-model.ts'
import { writeShow, writeTags, writeVersion } from '../../wire/model-list/ollama-models.ts'
import { otherNameOf } from '../../wire/ollama/values/other-name-of.ts'
import type { Exchanged, ReplyRoute, ServerRoute } from '../route.ts'
import { replyJson } from './reply-json.ts'
import type { RouteOptions } from './route-options.ts'
import { permittedModels } from './serve-model-list.ts'

const operations: readonly (readonly [OperationId, string])[] = [
  ['ollama-chat', '/api/chat'],
  ['ollama-generate', '/api/generate'],
  ['ollama-embed', '/api/embed'],
  ['ollama-embeddings', '/api/embeddings'],
]

/** The format that writes the errors of Ollama's other paths. */
const format = 'ollama-chat'

/** Clients of Ollama look for this text to find out whether it is running. */
const running = 'Ollama is running'
const runningForBrowsers =
  'Headgate is running. Programs call it at paths such as /v1/chat/completions. The console has its own address, which the start of the gateway prints.\n'

/**
 * Ollama's own paths (https://docs.ollama.com/api, seen 2026-11-25), except for those that load, copy and delete
 * models.
 */
export function createOllamaRoutes({ callerAccess }: RouteOptions): readonly ServerRoute[] {
  const list = (handle: ReplyRoute['handle'], path: string): ReplyRoute => ({
    type: 'reply',
    method: 'GET',
    path,
    policy: 'caller',
    format,
    handle,
  })
  return [
    ...operations.map(
      ([id, path]): ServerRoute => ({
        type: 'exchange',
        method: 'POST',
        path,
        policy: 'caller',
        format: id,
        acceptsAnyContentType: true,
      }),
    ),
    list((exchanged) => replyJson(writeTags(permittedModels(exchanged.identity, callerAccess))), '/api/tags'),
    // The list of loaded models. It is always empty here.
    list(() => replyJson({ models: [] }), '/api/ps'),
    {
      type: 'reply',
      method: 'GET',
      path: '/',
      policy: 'anyone',
      handle: ({ head: { message } }) => ({
        status: 200,
        headers: { 'content-type': 'text/plain; charset=utf-8', vary: 'accept' },
        body: message.headers.accept?.includes('text/html') === true ? runningForBrowsers : running,
      }),
    },
    {
      type: 'reply',
      method: 'GET',
      path: '/api/version',
      policy: 'anyone',
      format,
      handle: () => replyJson(writeVersion()),
    },
    {
      type: 'reply',
      method: 'POST',
      path: '/api/show',
      policy: 'caller',
      format,
      acceptsAnyContentType: true,
      handle: (exchanged) => replyJson(writeShow(findModel(exchanged, callerAccess))),
    },
  ]
}

/** Older clients send the model in the field `name`. */
function findModel(exchanged: Exchanged, callerAccess: CallerAccess): ListedModel {
  const body = tryParseJson(exchanged.body.text())
  if (!isJsonObject(body)) throw new GatewayError('body_not_object')
  const { model: name = body['name'] } = body
  const models = permittedModels(exchanged.identity, callerAccess)
  const other = otherNameOf(String(name))
  const found = models.find((model) => model.name === name) ?? models.find((model) => model.name === other)
  if (found !== undefined) return found
  throw modelNotFound(String(name), { listPath: '/api/tags' })
}
