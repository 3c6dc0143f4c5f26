import { GatewayError } from '../../canonical/failure.ts'
import type { OperationId } from '../../canonical/format.ts'
import { checkLoopbackHost } from '../admin-hosts.ts'
import { createConsoleRoutes } from '../console/console-routes.ts'
import type { ExchangeRoute, ServerRoute } from '../route.ts'
import { createAccountRoutes } from './account-routes.ts'
import { createDeploymentRoutes } from './azure-routes.ts'
import { createBedrockRoutes } from './bedrock-routes.ts'
import { createGeminiObjectRoutes } from './gemini-object-routes.ts'
import { createGeminiRoutes } from './gemini-routes.ts'
import { mountAdminRoute } from './mount-admin-route.ts'
import { createStoredObjectRoutes } from './object-routes.ts'
import { createOllamaRoutes } from './ollama-routes.ts'
import { createPassthroughRoutes } from './passthrough-routes.ts'
import { createRealtimeRoutes } from './realtime-routes.ts'
import { replyJson } from './reply-json.ts'
import { createResponsesRoutes } from './responses-routes.ts'
import type { RouteOptions } from './route-options.ts'
import { findModelReply, listModelsReply } from './serve-model-list.ts'

const operationPaths: readonly (readonly [OperationId, string, ExchangeRoute['acceptsForms']?])[] = [
  ['chat', '/v1/chat/completions'],
  ['messages', '/v1/messages'],
  ['responses', '/v1/responses'],
  ['completions', '/v1/completions'],
  ['embeddings', '/v1/embeddings'],
  ['count-tokens', '/v1/messages/count_tokens'],
  ['rerank', '/v1/rerank'],
  // Clients of Cohere use a path with the version. Clients of Jina's format often use one without it.
  ['rerank', '/v2/rerank'],
  ['rerank', '/rerank'],
  ['moderations', '/v1/moderations'],
  ['image-generations', '/v1/images/generations'],
  ['image-edits', '/v1/images/edits', 'too'],
  ['transcriptions', '/v1/audio/transcriptions', 'only'],
  ['translations', '/v1/audio/translations', 'only'],
  ['speech', '/v1/audio/speech'],
]

/** The routes of callers: the operations of each format, and the model list. */
export function createCallerRoutes(options: RouteOptions): readonly ServerRoute[] {
  const operations = operationPaths.map(([format, path, acceptsForms]) =>
    operationRoute(format, path, acceptsForms),
  )
  return [
    ...operations,
    ...createDeploymentRoutes(operations),
    ...createResponsesRoutes(),
    ...createStoredObjectRoutes(),
    ...createPassthroughRoutes(),
    ...createRealtimeRoutes(options),
    ...createGeminiRoutes(options),
    ...createGeminiObjectRoutes(),
    ...createOllamaRoutes(options),
    ...createBedrockRoutes(),
    {
      type: 'reply',
      method: 'GET',
      path: '/v1/models',
      policy: 'caller',
      acceptsQueryKey: true,
      handle: (exchanged) => listModelsReply(exchanged, options.callerAccess),
    },
    {
      type: 'reply',
      method: 'GET',
      path: '/v1/models/*',
      policy: 'caller',
      acceptsQueryKey: true,
      handle: (exchanged) => findModelReply(exchanged, options.callerAccess),
    },
    ...createAccountRoutes(options),
    // Claude Code requests this path without a key, to find out whether a gateway answers
    // (code.claude.com/docs/en/llm-gateway-protocol).
    {
      type: 'reply',
      method: 'GET',
      path: '/api/hello',
      policy: 'anyone',
      handle: () => replyJson({ message: 'hello' }),
    },
    {
      type: 'reply',
      method: 'GET',
      path: '/healthz',
      policy: 'anyone',
      handle: () => replyJson({ status: 'ok' }),
    },
    {
      type: 'reply',
      method: 'GET',
      path: '/readyz',
      policy: 'anyone',
      handle: () => readiness(options),
    },
  ]
}

/** The routes of operators, on a separate listener or, on loopback, next to those of callers. */
export function createOperatorRoutes(options: RouteOptions): readonly ServerRoute[] {
  const routes: readonly ServerRoute[] = [
    {
      type: 'reply',
      method: 'GET',
      path: '/metrics',
      policy: 'metrics',
      handle: async () => ({
        status: 200,
        headers: { 'content-type': options.metrics.contentType },
        body: await options.metrics.render(),
      }),
    },
    // Clients request this path before they send the admin token, so it needs no token.
    {
      type: 'reply',
      method: 'GET',
      path: '/admin/v1/proof',
      policy: 'anyone',
      handle({ head }) {
        checkLoopbackHost({ host: head.message.headers.host })
        return replyJson({ proof: options.proveServer(readNonce(head.query)) })
      },
    },
    ...createConsoleRoutes(options.consolePages),
    ...options.adminRoutes.map((route) => mountAdminRoute(route, options)),
  ]
  return routes.map((route) => ({ ...route, forOperators: true }))
}

function operationRoute(
  format: OperationId,
  path: string,
  acceptsForms: ExchangeRoute['acceptsForms'],
): ExchangeRoute {
  return { type: 'exchange', method: 'POST', path, policy: 'caller', format, acceptsForms }
}

function readNonce(query: string): string {
  const nonce = new URLSearchParams(query).get('nonce') ?? ''
  if (/^[\w-]{1,128}$/.test(nonce)) return nonce
  throw new GatewayError('invalid_field', {
    param: 'nonce',
    message: '"nonce" must be 1 to 128 letters, digits, "_" or "-".',
  })
}

function readiness({ gate, isReady }: Pick<RouteOptions, 'gate' | 'isReady'>) {
  if (gate.isDraining) return replyJson({ status: 'draining' }, 503)
  return isReady() ? replyJson({ status: 'ready' }) : replyJson({ status: 'ledger_unavailable' }, 503)
}
