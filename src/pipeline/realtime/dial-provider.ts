import { createFailure, type Failure } from '../../canonical/failure.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import type { Provider } from '../../providers/provider.ts'
import type { Candidate } from '../../routing/candidate.ts'
import type { OpenedWebSocket, UpstreamWebSocket } from '../../upstream/open-web-socket.ts'
import { emptyBody } from '../../upstream/upstream-body.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import { buildUpstreamRequest } from '../attempt/build-upstream-request.ts'
import { failureOfFault } from '../attempt/transport-failure.ts'
import type { Gateway } from '../gateway.ts'
import type { RealtimeDependencies, SessionOpening } from './realtime-port.ts'

const HANDSHAKE_MS = 15_000

/** Connects to a target's provider with the protocol of the session. */
export async function dialProvider(
  { candidate, protocol }: { readonly candidate: Candidate; readonly protocol: SessionOpening['type'] },
  { live, openWebSocket }: RealtimeDependencies,
): Promise<UpstreamWebSocket | Failure> {
  const { providers, redactor, userAgent } = live.gateway
  const { channel, upstreamModel } = candidate.target
  const provider = providers.find(channel.provider)
  const path = provider?.endpoints?.[protocol]?.pathOf({ channel, upstreamModel })
  if (provider === undefined || path === undefined) return createFailure('operation_not_supported')
  const lane = { path, headers: {}, body: emptyBody }
  const built = buildUpstreamRequest({
    lane,
    candidate,
    provider,
    isStream: true,
    userAgent,
    onNewConnection: true,
  })
  const { 'content-type': _type, accept: _accept, 'accept-encoding': _coding, ...headers } = built.headers
  // The path of a Live session starts at the host, not at the channel's base path.
  const pathAndQuery = protocol === 'geminiLive' ? path : built.pathAndQuery
  const request = { ...built, pathAndQuery, method: 'GET', headers } as const
  let authorized: Awaited<ReturnType<NonNullable<typeof request.authorize>>> | undefined
  try {
    authorized = await request.authorize?.(request)
  } catch (error) {
    return createFailure('upstream_credential', { logCause: redactor.redact(reasonOf(error)) })
  }
  const call = { ...request, headers: { ...headers, ...authorized } }
  return readOpened(await openWebSocket(call, HANDSHAKE_MS), provider, redactor)
}

function readOpened(
  opened: OpenedWebSocket,
  provider: Provider,
  redactor: Gateway['redactor'],
): UpstreamWebSocket | Failure {
  switch (opened.type) {
    case 'open':
      return opened.socket
    case 'failed': {
      const { code, message } = failureOfFault(opened.fault, { isStream: true, hasHead: false })
      return createFailure(code, { message, logCause: redactor.redact(opened.fault.message) })
    }
    case 'answered': {
      const { status, body } = opened
      const headers = Object.fromEntries(
        Object.entries(opened.headers).map(([name, value]) => [name, [value].flat()[0]]),
      )
      const answer = { status, headers, body }
      const failure = provider.readError?.(answer) ?? chatFormat.readError(answer)
      const { upstream: _words, ...known } = failure
      return { ...known, message: redactor.redact(failure.message) }
    }
  }
}
