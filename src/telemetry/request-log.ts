import pino from 'pino'
import { type NanoDollars, writeDollars } from '../canonical/money.ts'
import { inputTokensOf, type Usage } from '../canonical/usage.ts'
import { LineWriter } from '../kit/bytes/line-writer.ts'
import type { OutputTarget } from '../kit/net/open-standard-output.ts'
import type { Clock } from '../kit/time/clock.ts'
import { MINUTE_MS } from '../kit/time/time-units.ts'
import type { Observer, RequestRow } from './observer.ts'

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent'

export interface LogDestination {
  write(line: string): unknown
}

const { values } = pino.levels

/**
 * Writes one JSON line for each request, in pino's form: its outcome, its key, its channel and its duration. The line
 * is serialized at once, since the logger's own way, field by field, needs more memory.
 */
export function createRequestLog(options: {
  /** The level. It is read for every row, because a new configuration may change it. */
  readonly level: { readonly current: LogLevel }
  readonly destination: LogDestination
  readonly clock: Clock
}): Observer {
  const { level, destination, clock } = options
  const writeTime = createTimeWriter()
  return {
    requestEnded(row) {
      const minLevel = level.current
      const rowLevel = values[levelOf(row)] ?? 0
      if (minLevel === 'silent' || rowLevel < (values[minLevel] ?? 0)) return
      destination.write(writeLogLine(writeLine(row, rowLevel, writeTime(clock.nowMs()))))
    },
  }
}

/** Creates a function that writes times in the form of ISO 8601. The text of a second is written once. */
function createTimeWriter(): (atMs: number) => string {
  let second = Number.NaN
  let text = ''
  return (atMs) => {
    const wholeMs = Math.floor(atMs)
    const milliseconds = wholeMs % 1_000
    if (wholeMs - milliseconds !== second) {
      second = wholeMs - milliseconds
      text = new Date(second).toISOString().slice(0, -'000Z'.length)
    }
    return `${text}${String(milliseconds).padStart(3, '0')}Z`
  }
}

/**
 * Chooses the level of a row. An answer that broke off after its head is a failure, although its status is a success.
 */
function levelOf({ status, error, callerLeft }: RequestRow): 'error' | 'warn' | 'info' {
  if (status >= 500 || error === 'internal_error') return 'error'
  return status < 400 && error !== undefined && !callerLeft ? 'warn' : 'info'
}

/** The characters that JSON leaves unescaped, but that terminals and line readers interpret. */
const UNESCAPED = /[\x7f-\x9f\u2028\u2029]/g
/** Tests for these characters first, because nearly every line has none of them. */
const MAY_NEED_ESCAPES = /[\x7f-\x9f\u2028\u2029]/

/** Writes an object as one line without control characters, since a line may quote callers and providers. */
export function writeLogLine(fields: object): string {
  const line = JSON.stringify(fields)
  return `${MAY_NEED_ESCAPES.test(line) ? line.replace(UNESCAPED, writeEscaped) : line}\n`
}

function writeEscaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Builds a line as one object literal, so that only one object is created. */
function writeLine(row: RequestRow, level: number, time: string): Record<string, unknown> {
  return {
    level,
    time,
    request_id: row.requestId,
    method: row.method,
    path: cutText(row.path),
    format: row.format,
    status: row.status,
    error: row.error,
    cause: cutText(row.cause),
    key_id: row.keyId,
    key: row.keyName,
    user: row.user,
    group: row.group,
    address: row.address,
    stream: row.isStream,
    model: cutText(row.model),
    channel: row.channel,
    upstream_model: row.upstreamModel,
    // A single attempt has the request's tokens, so its tokens are not repeated.
    attempts: row.attempts.map((one) => writeAttempt(one, row.attempts.length > 1)),
    tokens: row.usage && writeTokens(row.usage),
    cost_usd: dollarsOf(row.cost),
    charged_usd: dollarsOf(row.charged),
    losses:
      row.losses.length === 0
        ? undefined
        : row.losses.map(({ feature, kind, field }) =>
            cutText(`${feature}${field ? `(${field})` : ''}=${kind}`),
          ),
    caller_left: row.callerLeft || undefined,
    recovered: row.isRecovered || undefined,
    replay: row.isReplay,
    bytes_in: row.bytesIn,
    bytes_out: row.bytesOut,
    receive_ms: waited(row.receiveMs),
    queue_ms: waited(row.queueMs),
    first_content_ms: roundMs(row.firstContentMs),
    total_ms: roundMs(row.totalMs),
    msg: 'request',
  }
}

function dollarsOf(amount: NanoDollars | undefined): number | undefined {
  return amount === undefined ? undefined : Number(writeDollars(amount))
}

function writeTokens(usage: Usage): Record<string, unknown> {
  return {
    input: inputTokensOf(usage),
    cache_read: usage.cacheReadTokens,
    cache_write: usage.cacheWriteShortTokens + usage.cacheWriteLongTokens,
    output: usage.outputTokens,
    reasoning: usage.reasoningTokens,
    estimated: usage.isEstimated || undefined,
  }
}

/** Leaves out a wait that is too short to matter. */
function waited(duration: number): number | undefined {
  return duration < 1 ? undefined : roundMs(duration)
}

function writeAttempt(
  attempt: RequestRow['attempts'][number],
  isOneOfSeveral: boolean,
): Record<string, unknown> {
  return {
    channel: attempt.channel,
    credential: attempt.credentialId,
    upstream_model: attempt.upstreamModel,
    lane: attempt.lane,
    outcome: attempt.outcome,
    upstream_status: attempt.upstreamStatus,
    cause: cutText(attempt.cause),
    wait_ms: waited(attempt.waitMs),
    head_ms: roundMs(attempt.headMs),
    first_content_ms: roundMs(attempt.firstContentMs),
    total_ms: roundMs(attempt.totalMs),
    tokens: isOneOfSeveral && attempt.usage !== undefined ? writeTokens(attempt.usage) : undefined,
  }
}

function roundMs(duration: number | undefined): number | undefined {
  return duration === undefined ? undefined : Math.round(duration * 10) / 10
}

const MAX_TEXT_CHARACTERS = 256

/** Cuts text from callers or upstreams to the length that the log allows. */
export function cutText(text: string | undefined): string | undefined {
  return text === undefined || text.length <= MAX_TEXT_CHARACTERS
    ? text
    : `${text.slice(0, MAX_TEXT_CHARACTERS)}…`
}

export interface LogOutput extends LogDestination {
  /** Writes the buffered lines, and waits briefly for the write. */
  close(): Promise<void>
}

export interface LogOutputReports {
  addDropped(lineCount: number): void
  /** Warns in the log after a gap. */
  warn(message: string): void
  /** Prints a line outside the log. */
  printError(line: string): void
}

/**
 * The number of lines in one batch. A batch is written when it has this many lines or `FLUSH_EVERY_MS` has passed, so
 * that it needs one measurement and one write.
 */
const MAX_LINES = 64
const FLUSH_EVERY_MS = 250
const MAX_WAITING_BYTES = 8 * 1024 ** 2
const CLOSE_LIMIT_MS = 1_000
const REPORT_EVERY_MS = MINUTE_MS

/** The target of the log. Processes of one installation on one machine share theirs. */
export interface LogTarget extends OutputTarget {
  readonly isShared: boolean
}

/** Opens an output that never blocks on the reader of the log. */
export function openLogOutput(target: LogTarget, clock: Clock, reports: LogOutputReports): LogOutput {
  const writer = new LineWriter({
    target,
    clock,
    maxWaitingBytes: MAX_WAITING_BYTES,
    isShared: target.isShared,
    reports: createWriterReports(clock, reports),
  })
  let lines: string[] = []
  let isTimed = false

  function flush() {
    isTimed = false
    if (lines.length === 0) return
    writer.write(lines.join(''), lines.length)
    lines = []
  }

  return {
    write(line) {
      lines.push(line)
      if (lines.length >= MAX_LINES) flush()
      if (isTimed || lines.length === 0) return
      isTimed = true
      clock.startTimer(FLUSH_EVERY_MS, flush)
    },
    close() {
      flush()
      return writer.close(CLOSE_LIMIT_MS)
    },
  }
}

/** Creates the reports about a slow reader of the log, at most one per minute. */
function createWriterReports(clock: Clock, { addDropped, warn, printError }: LogOutputReports) {
  let sentAtMs = Number.NEGATIVE_INFINITY
  return {
    dropped: addDropped,
    stopped(reason: string) {
      const nowMs = clock.monotonicMs()
      if (nowMs - sentAtMs < REPORT_EVERY_MS) return
      sentAtMs = nowMs
      printError(
        `headgate: warning: the log on standard output is blocked: ${reason}; requests are served, and lines beyond ${MAX_WAITING_BYTES / 1024 ** 2} MB are dropped until it goes on`,
      )
    },
    wentOn(missingLineCount: number) {
      if (missingLineCount > 0) warn(`logging resumed; ${missingLineCount} lines before this one are missing`)
    },
  }
}
