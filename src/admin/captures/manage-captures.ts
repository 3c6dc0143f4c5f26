import type { Actor, AuditAction } from '../../canonical/audit.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { CaptureStore, CaptureSummary } from '../../capture/capture-store.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { writeDuration } from '../../kit/time/write-duration.ts'
import { writeTime } from '../../kit/time/write-time.ts'
import type { AuditStore } from '../audit/audit-store.ts'
import { readListCursor, writeListCursor } from '../paging/list-cursor.ts'
import { DEFAULT_PAGE_ROWS } from '../paging/page-fields.ts'
import { readInput } from '../read-input.ts'
import type { CaptureArchive, ReadCapture } from './capture-archive.ts'
import {
  type CaptureList,
  type CaptureStatus,
  type CaptureSummaryView,
  type CaptureView,
  type ExportCaptures,
  exportCapturesSchema,
  type ListCaptures,
  listCapturesSchema,
} from './capture-contract.ts'

export interface CaptureOperationOptions {
  readonly archive: CaptureArchive
  readonly audit: Pick<AuditStore, 'append'>
  readonly clock: Pick<Clock, 'nowMs'>
}

/** The operations on captured prompts and answers. Each reading and deleting is in the audit. */
export interface CaptureOperations {
  status(): Promise<CaptureStatus>
  /** Lists the newest first, without prompts and answers. */
  list(input: ListCaptures): Promise<CaptureList>
  read(requestId: string, actor: Actor): Promise<CaptureView>
  delete(requestId: string, actor: Actor): Promise<number>
  deleteOfKey(key: string, actor: Actor): Promise<number>
  /** Lines of JSON, the newest first. */
  export(input: ExportCaptures, actor: Actor): Promise<AsyncIterable<Buffer>>
}

export function createCaptureOperations({
  archive,
  audit,
  clock,
}: CaptureOperationOptions): CaptureOperations {
  const record = (actor: Actor, action: AuditAction, subject: string, details: readonly string[]) =>
    audit.append({ ...actor, action, subject, details, atMs: clock.nowMs() })
  return {
    status: () => viewStatus(archive),
    async list(input) {
      const { limit = DEFAULT_PAGE_ROWS, after, ...filter } = readInput(listCapturesSchema, input)
      const cursor = readListCursor(after, 'number')
      const { captures, hasMore } = await archive.page({
        key: filter.key,
        sinceMs: filter.since,
        untilMs: filter.until,
        limit,
        after: cursor && { atMs: Number(cursor.value), requestId: cursor.id },
      })
      const last = captures.at(-1)
      return {
        data: captures.map(viewSummary),
        next_after:
          hasMore && last !== undefined ? writeListCursor({ value: last.atMs, id: last.requestId }) : null,
      }
    },
    async read(requestId, actor) {
      const found = await archive.read(requestId)
      if (found === undefined) throw new GatewayError('capture_not_found')
      // The record comes first: a capture is shown only if the access can be recorded.
      await record(actor, 'capture.read', requestId, [`of the key ${found.summary.keyName}`])
      return viewCapture(found)
    },
    async delete(requestId, actor) {
      if (!(await archive.delete(requestId))) throw new GatewayError('capture_not_found')
      await record(actor, 'capture.delete', requestId, [])
      return 1
    },
    async deleteOfKey(key, actor) {
      const count = await archive.deleteOfKey(key)
      await record(actor, 'capture.delete', key, [`all ${count} of the key`])
      return count
    },
    async export(input, actor) {
      const filter = readInput(exportCapturesSchema, input)
      const details = Object.entries(input).map(([name, value]) => `${name} ${String(value)}`)
      await record(actor, 'capture.export', filter.key ?? '', details)
      return exportLines(archive, { key: filter.key, sinceMs: filter.since, untilMs: filter.until })
    },
  }
}

const EXPORT_PAGE_ROWS = 100

/** Reads page by page, so that an export of any size needs the memory of one page. */
async function* exportLines(
  archive: CaptureArchive,
  filter: Omit<Parameters<CaptureStore['page']>[0], 'limit' | 'after'>,
): AsyncGenerator<Buffer, void, undefined> {
  let after: { readonly atMs: number; readonly requestId: string } | undefined
  for (;;) {
    const { captures, hasMore } = await archive.page({ ...filter, after, limit: EXPORT_PAGE_ROWS })
    for (const { requestId } of captures) {
      const found = await archive.read(requestId)
      if (found !== undefined) yield Buffer.from(`${JSON.stringify(viewCapture(found))}\n`)
    }
    const last = captures.at(-1)
    if (!hasMore || last === undefined) return
    after = { atMs: last.atMs, requestId: last.requestId }
  }
}

async function viewStatus(archive: CaptureArchive): Promise<CaptureStatus> {
  const { bodies, keys, groups, maxBodyBytes, keepMs, maxBytes, redact } = archive.policy
  return {
    on: archive.isOn(),
    bodies,
    keys: Object.fromEntries(keys),
    groups: Object.fromEntries(groups),
    max_body: maxBodyBytes,
    keep: writeDuration(keepMs),
    max_bytes: maxBytes,
    patterns: redact.length,
    stored: { ...(await archive.totals()) },
  }
}

function viewSummary(summary: CaptureSummary): CaptureSummaryView {
  return {
    request_id: summary.requestId,
    key_id: summary.keyId,
    key: summary.keyName,
    user: summary.user ?? null,
    group: summary.group ?? null,
    model: summary.model ?? null,
    operation: summary.operation,
    status: summary.status,
    at: writeTime(summary.atMs),
    has_prompt: summary.hasPrompt,
    has_answer: summary.hasAnswer,
  }
}

function viewCapture({ summary, content }: ReadCapture): CaptureView {
  const { prompt, answer } = content ?? {}
  return {
    ...viewSummary(summary),
    readable: content !== undefined,
    prompt:
      prompt === undefined ? null : { text: prompt.text, bytes: prompt.bytes, truncated: prompt.isTruncated },
    answer:
      answer === undefined
        ? null
        : {
            text: answer.text,
            bytes: answer.bytes,
            truncated: answer.isTruncated,
            form: answer.form,
            stream: answer.isStream,
            cut: answer.isCut,
          },
  }
}
