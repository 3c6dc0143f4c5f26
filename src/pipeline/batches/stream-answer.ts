import { GatewayError } from '../../canonical/failure.ts'
import type { UpstreamHeaders } from '../../upstream/upstream.ts'
import type { ExchangeOutcome } from '../exchange/exchange-outcome.ts'
import type { FoundOwner } from '../retrieval/owner-lane.ts'
import { type AnswerSink, callProvider, type ProviderCall } from './call-provider.ts'
import type { ObjectCall } from './object-input.ts'
import { LineSplitter } from './read-lines.ts'

/** An answer to stream, and the way in which its bytes are converted for the caller. */
export interface StreamedAnswer {
  readonly owner: FoundOwner
  readonly path: string
  readonly headers?: ProviderCall['headers']
  /** Returns the headers for the caller. An error that it throws ends the call. */
  readHead(headers: UpstreamHeaders): Readonly<Record<string, string>>
  /** Returns the bytes for the caller; empty while nothing is complete. An error that it throws ends the call. */
  read(chunk: Buffer): readonly Buffer[]
  /** Returns the bytes after the last chunk. */
  end(): readonly Buffer[]
}

/** Sends a provider's answer as it arrives, at the pace of its caller. Rejects with `GatewayError`. */
export async function streamAnswer(call: ObjectCall, answer: StreamedAnswer): Promise<ExchangeOutcome> {
  const { writer, attempts, callerConnection } = call
  const { owner, path, headers } = answer
  const { target } = owner.candidate
  let shownHeaders: Readonly<Record<string, string>> = {}
  const write = (parts: readonly Buffer[]) =>
    parts.length === 0 || writer.writeStream(Buffer.concat(parts), shownHeaders)
  const sink: AnswerSink = {
    onHead(received) {
      shownHeaders = answer.readHead(received)
    },
    onData: (chunk) => write(answer.read(chunk)),
  }
  const timeoutMs = target.channel.timeouts.totalMs
  const running = callProvider(
    { owner, method: 'GET', path, timeoutMs, ...(headers && { headers }) },
    call,
    sink,
  )
  callerConnection.listen({
    onDrain: () => running.resume(),
    onGone: () => running.abort('the caller has left'),
    onStop: () => running.abort(new GatewayError('shutting_down')),
  })
  try {
    await running.done
  } catch (error) {
    if (callerConnection.isGone) return { type: 'caller-gone' }
    throw error
  }
  attempts.answeredBy({ type: 'target', target, losses: [], isRecovered: false })
  write(answer.end())
  if (!writer.hasStarted) writer.writeStream('', shownHeaders)
  writer.endStream()
  return { type: 'answered' }
}

/** Converts the lines of an answer, one by one, for the caller. */
export function showLines(show: (line: Buffer) => Buffer): Pick<StreamedAnswer, 'readHead' | 'read' | 'end'> {
  const splitter = new LineSplitter()
  const shown = (lines: readonly Buffer[]) => lines.flatMap((line) => [show(line), lineFeed])
  return {
    readHead: () => ({ 'content-type': 'application/jsonl' }),
    read: (chunk) => shown(splitter.push(chunk)),
    end: () => shown(splitter.end()),
  }
}

const lineFeed = Buffer.from('\n')
