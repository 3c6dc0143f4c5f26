import { noUsage } from '../../src/canonical/usage.ts'
import type { RequestRow } from '../../src/telemetry/observer.ts'

/** A request that went well, with what a test says otherwise. */
export function createRequestRow(different: Partial<RequestRow> = {}): RequestRow {
  return {
    requestId: 'req_00000000-0000-4000-8000-000000000001',
    method: 'POST',
    path: '/v1/chat/completions',
    format: 'chat',
    status: 200,
    error: undefined,
    cause: undefined,
    keyId: 'key_1',
    keyName: 'ci',
    user: undefined,
    group: undefined,
    address: '127.0.0.1',
    isStream: true,
    model: 'fast',
    channel: 'primary',
    upstreamModel: 'gpt',
    candidates: [],
    attempts: [
      {
        channel: 'primary',
        credentialId: 'primary#0',
        upstreamModel: 'gpt',
        lane: 'verbatim',
        outcome: 'answered',
        upstreamStatus: 200,
        cause: undefined,
        usage: undefined,
        waitMs: 0,
        headMs: 11,
        firstContentMs: 22,
        totalMs: 33,
      },
    ],
    usage: { ...noUsage, freshInputTokens: 7, cacheReadTokens: 3, outputTokens: 5 },
    losses: [],
    callerLeft: false,
    isRecovered: false,
    bytesIn: 1_000,
    bytesOut: 2_000,
    firstContentMs: 23,
    receiveMs: 0,
    queueMs: 0,
    totalMs: 34,
    endedAtMs: Date.UTC(2026, 10, 20),
    ...different,
  }
}
