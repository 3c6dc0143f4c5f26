import { z } from 'zod'
import { writeDollars } from '../../canonical/money.ts'
import { refuse } from '../../canonical/refusal.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { writeTime } from '../../kit/time/write-time.ts'
import type {
  ExportQuery,
  LedgerCheck,
  LedgerReader,
  NumberedRow,
  RowQuery,
} from '../../metering/ledger-reader.ts'
import { flagNames, type LedgerFlags } from '../../metering/ledger-row.ts'
import type { AdminRoute } from '../admin-route.ts'
import { readInput } from '../read-input.ts'
import { viewUsage } from '../view-usage.ts'
import {
  exportRowsSchema,
  type LedgerCheckView,
  type LedgerOperations,
  type LedgerRowView,
  ledgerCheckSchema,
  listRowsSchema,
  rowListSchema,
} from './ledger-contract.ts'
import { readSpan } from './read-span.ts'
import { readUsageFilter } from './read-usage-filter.ts'

const DEFAULT_LIMIT = 50

/** The operations that read the ledger. */
export function createLedgerOperations(
  reader: Pick<LedgerReader, 'rows' | 'rowsOf' | 'export' | 'verify'>,
  clock: Pick<Clock, 'nowMs'>,
): LedgerOperations {
  return {
    async list(input) {
      const params = readInput(listRowsSchema, input)
      const { request_id: requestId } = params
      if (requestId !== undefined) {
        refuseBeside(input)
        return { data: (await reader.rowsOf(requestId)).map(viewRow), has_more: false, next: null }
      }
      const { rows, next } = await reader.rows(readRowQuery(params))
      return { data: rows.map(viewRow), has_more: next !== undefined, next: next ?? null }
    },
    async export(input) {
      const params = readInput(exportRowsSchema, input)
      const { format = 'csv', state } = params
      const query: ExportQuery = { ...readUsageFilter(params), ...readSpan(params), state, format }
      return startNow(reader.export(query))
    },
    verify: joinRunning(async () => viewCheck(await reader.verify(clock.nowMs()))),
  }
}

function readRowQuery(params: z.output<typeof listRowsSchema>): RowQuery {
  const { state, before, limit = DEFAULT_LIMIT } = params
  const { sinceMs, untilMs } = readSpan(params)
  return { ...readUsageFilter(params), sinceMs, untilMs, state, before, limit }
}

function refuseBeside(input: object): void {
  const [other] = Object.keys(input).filter((name) => name !== 'request_id')
  if (other === undefined) return
  throw refuse('invalid_field', {
    param: other,
    message: `"${other}" has no effect beside "request_id"; leave one of them out.`,
    fact: { code: 'excluded_by_field', values: { field: 'request_id' } },
  })
}

/** Starts reading at once, so that a store error becomes an error response and does not truncate a response. */
async function startNow(
  chunks: AsyncGenerator<Buffer, void, undefined>,
): Promise<AsyncGenerator<Buffer, void, undefined>> {
  const first = await chunks.next()
  return (async function* () {
    try {
      if (first.done !== true) yield first.value
      yield* chunks
    } finally {
      await chunks.return()
    }
  })()
}

/** Reads the whole ledger. Callers that ask while a read is in progress share its result. */
function joinRunning<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}

/** A row in the format of an export. */
function viewRow({ number, row }: NumberedRow): LedgerRowView {
  return {
    number,
    id: row.id,
    request_id: row.requestId,
    attempt: row.attempt,
    ended_at: writeTime(row.endedAtMs),
    duration_ms: row.endedAtMs - row.startedAtMs,
    key_id: row.keyId,
    key: row.keyName,
    user: row.userName ?? null,
    group: row.group ?? null,
    tags: { ...row.tags },
    model: row.model,
    channel: row.channel,
    upstream_model: row.upstreamModel,
    price_version: row.priceVersion ?? null,
    state: row.state,
    tier: row.tier,
    usage: viewUsage(row.usage),
    cost_usd: Number(writeDollars(row.cost)),
    charged_usd: Number(writeDollars(row.charged)),
    flags: writeFlags(row.flags),
    corrects: row.flags.corrects ?? null,
  }
}

function writeFlags(flags: LedgerFlags): string[] {
  return flagNames.flatMap(([flag, name]) => (flags[flag] === true ? [name] : []))
}

function viewCheck(check: LedgerCheck): LedgerCheckView {
  return {
    adds_up: check.differenceCount === 0,
    rows: check.rows,
    pruned_rows: check.prunedRows,
    windows: check.windows,
    open_intents: check.openIntents,
    difference_count: check.differenceCount,
    differences: [...check.differences],
  }
}

const contentTypes = { csv: 'text/csv; charset=utf-8', jsonl: 'application/jsonl' } as const

export function createLedgerRoutes(ledger: LedgerOperations): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/admin/v1/ledger',
      policy: { access: 'read', scope: 'ledger:read' },
      summary: "List the ledger's rows that match every given filter, newest first",
      query: listRowsSchema,
      answer: { status: 200, schema: rowListSchema },
      errors: ['invalid_field'],
      handler: async ({ query }) => ({ status: 200, body: { ...(await ledger.list(query)) } }),
    },
    {
      method: 'GET',
      path: '/admin/v1/ledger/export',
      policy: { access: 'read', scope: 'ledger:read' },
      summary: 'Export all rows of the ledger that match every given filter, the oldest first',
      query: exportRowsSchema,
      answer: {
        status: 200,
        contentType: contentTypes.csv,
        schema: z
          .string()
          .meta({ description: 'Lines of CSV with a header, or a JSON object on each line.' }),
      },
      errors: ['invalid_field'],
      async handler({ query }) {
        const { format = 'csv' } = readInput(exportRowsSchema, query)
        const headers = {
          'content-type': contentTypes[format],
          'content-disposition': `attachment; filename="ledger.${format}"`,
        }
        return { status: 200, headers, body: {}, download: await ledger.export(query) }
      },
    },
    {
      method: 'POST',
      path: '/admin/v1/ledger/verify',
      policy: { access: 'read', scope: 'ledger:read' },
      summary:
        'Compare all rows with the sums of usage and the windows of budgets; takes as long as it takes',
      answer: { status: 200, schema: ledgerCheckSchema },
      errors: [],
      handler: async () => ({ status: 200, body: { ...(await ledger.verify()) } }),
    },
  ]
}
