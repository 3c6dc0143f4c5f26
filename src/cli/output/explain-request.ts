import type { RequestDetailView } from '../../admin/requests/request-contract.ts'
import { plainLine } from '../../kit/bytes/plain-text.ts'
import { writeUsdNumber } from './usd.ts'

/** Writes the lines that explain a request's outcome. */
export function explainRequest(request: RequestDetailView): string {
  const { usage, losses } = request
  const lines = [
    `${request.request_id}: ${request.method} ${request.path}`,
    `  came ${request.started_at} from ${request.address}${describeKey(request)}`,
    `  asked for ${request.model ?? 'no model that is known here'}${request.stream ? ', as a stream' : ''}`,
    ...explainWaits(request),
    ...explainPlan(request),
    ...explainAttempts(request),
    explainOutcome(request),
    ...(request.cause === null ? [] : [`  cause: ${request.cause}`]),
    ...(request.recovered ? ['  the stream broke off, and the last attempt made it whole'] : []),
    ...(request.caller_left ? ['  the caller left before the end'] : []),
    ...(usage === null ? [] : [explainUsage(usage)]),
    ...explainCost(request),
    ...(losses.length === 0 ? [] : ['  what translation could not carry:']),
    ...losses.map(
      ({ feature, kind, field }) => `    ${feature}${field === null ? '' : ` (${field})`}: ${kind}`,
    ),
  ]
  return lines.map((line) => `${plainLine(line)}\n`).join('')
}

function describeKey({ key, key_id, group }: RequestDetailView): string {
  if (key === null) return ', with no key that is known here'
  return `, with key ${key} (${key_id})${group === null ? '' : ` of group ${group}`}`
}

/** Explains the time before the first attempt. A time below a hundredth of a second gets no line. */
function explainWaits({ receive_ms, queue_ms }: RequestDetailView): readonly string[] {
  return [
    ...(receive_ms < 10 ? [] : [`  was read after ${receive_ms} ms`]),
    ...(queue_ms < 10 ? [] : [`  waited ${queue_ms} ms in the queue`]),
  ]
}

function explainPlan({ candidates }: RequestDetailView): readonly string[] {
  const open = candidates.filter(({ excluded }) => excluded === null)
  const excluded = candidates.filter((candidate) => candidate.excluded !== null)
  return [
    ...(open.length === 0 ? [] : ['  could be tried, in this order:']),
    ...open.map((candidate, index) => `    ${index + 1}. ${nameTarget(candidate)}`),
    ...(excluded.length === 0 ? [] : ['  left out:']),
    ...excluded.map((candidate) => `    ${nameTarget(candidate)}: ${candidate.excluded}`),
  ]
}

function explainAttempts({ attempts }: RequestDetailView): readonly string[] {
  if (attempts.length === 0) return ['  no channel was called']
  return ['  was tried:', ...attempts.map((attempt, index) => `    ${index + 1}. ${explainAttempt(attempt)}`)]
}

function explainAttempt(attempt: RequestDetailView['attempts'][number]): string {
  const { outcome, upstream_status: status, head_ms: head, first_content_ms: first } = attempt
  const came = outcome === 'answered' ? 'answered' : `did not answer: ${outcome}`
  const times = [
    ...(attempt.wait_ms < 10 ? [] : [`began after a wait of ${attempt.wait_ms} ms`]),
    ...(head === null ? [] : [`status after ${head} ms`]),
    ...(first === null ? [] : [`first content after ${first} ms`]),
    `ended after ${attempt.total_ms} ms`,
  ]
  const said = `${status === null ? '' : `, status ${status}`}${attempt.cause === null ? '' : ` (${attempt.cause})`}`
  const used = attempt.usage === null ? '' : `; ${attempt.usage.output_tokens} tokens of output`
  const cost = attempt.cost_usd === null ? '' : `; ${writeUsdNumber(attempt.cost_usd)} US dollars`
  return `${nameTarget(attempt)}, ${attempt.lane}: ${came}${said}; ${times.join(', ')}${used}${cost}`
}

function explainOutcome(request: RequestDetailView): string {
  const { status, error, total_ms, first_content_ms } = request
  const failed = error === null ? '' : `, error ${error}`
  const first = first_content_ms === null ? '' : `, first content after ${first_content_ms} ms`
  return `  the caller got status ${status}${failed}${first}, all after ${total_ms} ms (${request.bytes_out} bytes)`
}

function explainUsage(usage: NonNullable<RequestDetailView['usage']>): string {
  const input = [
    `${usage.fresh_input_tokens} fresh`,
    `${usage.cache_read_tokens} from a cache`,
    `${usage.cache_write_short_tokens + usage.cache_write_long_tokens} into one`,
  ]
  const reasoning = usage.reasoning_tokens === 0 ? '' : `, ${usage.reasoning_tokens} of them reasoning`
  const estimated = usage.estimated ? '; estimated' : ''
  return `  tokens: input ${input.join(', ')}; output ${usage.output_tokens}${reasoning}${estimated}`
}

/** Explains the cost, with the caller's charge where it differs. */
function explainCost({ cost_usd: cost, charged_usd: charged }: RequestDetailView): readonly string[] {
  if (cost === null) return []
  const other =
    charged === null || charged === cost
      ? ''
      : `; the caller is charged ${writeUsdNumber(charged)} US dollars`
  return [`  cost: ${writeUsdNumber(cost)} US dollars${other}`]
}

interface Target {
  readonly channel: string
  readonly upstream_model: string
  readonly credential: string | null
}

function nameTarget({ channel, upstream_model, credential }: Target): string {
  return `${channel}/${upstream_model}${credential === null ? '' : ` with credential ${credential}`}`
}
