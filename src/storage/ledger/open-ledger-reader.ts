import { extname, join } from 'node:path'
import { GatewayError } from '../../canonical/failure.ts'
import type { ExportQuery, LedgerReader } from '../../metering/ledger-reader.ts'
import { adviseOnFault } from '../sqlite/advise-on-fault.ts'
import { describeRefusal } from '../sqlite/describe-refusal.ts'
import { storeUnavailable } from '../sqlite/store-fault.ts'
import { openStoreThread } from '../sqlite/store-thread.ts'
import type { ReaderAnswer, ReaderAsk } from './reader-protocol.ts'
import type { ExportPosition } from './rows/export-rows.ts'

const whenDamaged = 'restore it from a copy'

export interface OpenLedgerReader extends LedgerReader {
  close(): Promise<void>
}

/** Opens the ledger of the data folder for reports, in a thread of its own; it must be open for writing by then. */
export async function openLedgerReader(dataFolder: string): Promise<OpenLedgerReader> {
  const file = join(dataFolder, 'ledger.db')
  const thread = await openStoreThread<ReaderAsk, ReaderAnswer>({
    script: new URL(`./reader-worker${extname(new URL(import.meta.url).pathname)}`, import.meta.url),
    file,
    describeRefusal: (fault) => describeRefusal(file, fault, whenDamaged),
    readFault: (fault) => storeUnavailable(`${file}: ${adviseOnFault(fault, whenDamaged)}`),
  })

  async function ask<Type extends ReaderAsk['type']>(
    request: Extract<ReaderAsk, { type: Type }>,
  ): Promise<Extract<ReaderAnswer, { type: Type }>> {
    const answer = await thread.ask(request)
    if (isAnswerTo(answer, request.type)) return answer
    if (answer.type === 'too-slow') throw new GatewayError('report_too_slow')
    throw storeUnavailable(`the thread of ${file} answered something else`)
  }

  async function* exportRows(query: ExportQuery): AsyncGenerator<Buffer, void, undefined> {
    let position: ExportPosition | undefined
    do {
      const { chunk } = await ask<'export'>({ type: 'export', query, position })
      position = chunk.position
      const { buffer, byteOffset, byteLength } = chunk.bytes
      if (byteLength > 0) yield Buffer.from(buffer, byteOffset, byteLength)
    } while (position !== undefined)
  }

  return {
    usage: async (query) => (await ask<'usage'>({ type: 'usage', query })).page,
    rows: async (query) => (await ask<'rows'>({ type: 'rows', query })).page,
    rowsOf: async (requestId) => (await ask<'rows-of'>({ type: 'rows-of', requestId })).rows,
    export: exportRows,
    verify: async (nowMs) => (await ask<'verify'>({ type: 'verify', nowMs })).check,
    close: () => thread.close(),
  }
}

function isAnswerTo<Type extends ReaderAsk['type']>(
  answer: ReaderAnswer,
  type: Type,
): answer is Extract<ReaderAnswer, { type: Type }> {
  return answer.type === type
}
