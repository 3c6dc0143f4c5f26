import { expect, it } from 'vitest'
import { noUsage } from '../canonical/usage.ts'
import { createMetrics } from './metrics.ts'
import type { RequestRow } from './observer.ts'

const row: RequestRow = {
  requestId: 'req_1',
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
  isStream: false,
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
      headMs: 1,
      firstContentMs: 2,
      totalMs: 3,
    },
  ],
  usage: { ...noUsage, freshInputTokens: 7, cacheReadTokens: 3, outputTokens: 5 },
  losses: [{ feature: 'top-k', kind: 'dropped' }],
  callerLeft: false,
  isRecovered: false,
  receiveMs: 0,
  queueMs: 0,
  bytesIn: 1,
  bytesOut: 1,
  firstContentMs: 2,
  totalMs: 30,
  endedAtMs: 0,
}

async function linesOf(rows: readonly RequestRow[]): Promise<readonly string[]> {
  const metrics = createMetrics({ version: '1.2.3', node: '24.15.0', platform: 'linux-x64' })
  for (const one of rows) metrics.requestEnded(one)
  await metrics.render()
  return (await metrics.render())
    .split('\n')
    .filter((line) => line.startsWith('headgate_') && line.includes('_total'))
}

it('counts requests, attempts, tokens and losses by label, however often they are read', async () => {
  expect(await linesOf([row, row])).toEqual([
    'headgate_requests_total{format="chat",model="fast",channel="primary",status="200",error=""} 2',
    'headgate_attempts_total{channel="primary",outcome="answered"} 2',
    'headgate_tokens_total{model="fast",channel="primary",class="input"} 20',
    'headgate_tokens_total{model="fast",channel="primary",class="cache_read"} 6',
    'headgate_tokens_total{model="fast",channel="primary",class="output"} 10',
    'headgate_losses_total{feature="top-k",kind="dropped"} 2',
    'headgate_log_dropped_lines_total 0',
    'headgate_ledger_dropped_rows_total 0',
    'headgate_request_log_dropped_rows_total 0',
  ])
})

it('the metrics include the build information', async () => {
  const metrics = createMetrics({ version: '1.2.3', node: '24.15.0', platform: 'linux-x64' })
  expect(await metrics.render()).toContain(
    'headgate_build_info{version="1.2.3",node="24.15.0",platform="linux-x64"} 1\n',
  )
})

it('every gateway of a process has the metrics of the process', async () => {
  const build = { version: '1.2.3', node: '24.15.0', platform: 'linux-x64' }
  const texts = await Promise.all([createMetrics(build).render(), createMetrics(build).render()])
  for (const text of texts) {
    expect(text).toContain('# TYPE nodejs_gc_duration_seconds histogram')
    expect(text).toMatch(/^process_resident_memory_bytes \d{7,}$/m)
  }
})

it('the delay of the event loop is that of the slowest process', async () => {
  const metrics = createMetrics({ version: '1.2.3', node: '24.15.0', platform: 'linux-x64' })
  const name = 'nodejs_eventloop_lag_p99_seconds'
  const dumpWith = async (value: number) =>
    (await metrics.dump()).map((metric) =>
      'name' in metric && metric.name === name ? { ...metric, values: [{ value, labels: {} }] } : metric,
    )
  const dumps = await Promise.all([0.01, 0.15, 0.02].map(dumpWith))
  expect(await metrics.renderSum(dumps)).toMatch(new RegExp(`^${name} 0.15$`, 'm'))
})
