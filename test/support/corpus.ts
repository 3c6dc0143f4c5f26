import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import type { JsonValue } from '../../src/kit/json/json.ts'

const json = z.custom<JsonValue>((value) => value !== undefined)
const headers = z.record(z.string(), z.string())

const rowSchema = z.object({
  id: z.string(),
  file: z.string(),
  provider: z.string(),
  /** The wire format, such as `openai.chat`. */
  api: z.string(),
  features: z.array(z.string()),
  status: z.number(),
})

const caseSchema = z.object({
  id: z.string(),
  provider: z.string(),
  api: z.string(),
  features: z.array(z.string()),
  /** The notes on what was replaced or cut, if anything. */
  notes: z.array(z.string()).optional(),
  request: z
    .object({ method: z.string(), host: z.string(), path: z.string(), headers, body: json.optional() })
    .nullable(),
  response: z.object({
    status: z.number(),
    headers,
    /** Exactly one of these is there. */
    body: json.optional(),
    sse: z.string().optional(),
    ndjson: z.string().optional(),
    eventstream_base64: z.string().optional(),
    /** White space sent before a JSON body. */
    body_raw_prefix: z.string().optional(),
  }),
})

export type CorpusRow = z.infer<typeof rowSchema>
/** A recorded exchange with a real provider. */
export type CorpusCase = z.infer<typeof caseSchema>

export interface CaseFilter {
  readonly api?: string
  /** Features of which a case must have all. */
  readonly features?: readonly string[]
  where?(row: CorpusRow): boolean
}

let isAnnounced = false

/** The folder of the recordings: beside the repository, or the one that `HEADGATE_CORPUS` names. */
function findCorpus(): string | undefined {
  const folder = process.env['HEADGATE_CORPUS'] ?? resolve(import.meta.dirname, '../../../shared/corpus')
  return existsSync(join(folder, 'index.json')) ? folder : undefined
}

/**
 * The recorded exchanges that the filter lets through, in the order of the index. Undefined where the corpus is not
 * there: a line on stderr says so, once for each file of tests, and the caller is to skip what it cannot test.
 */
export function loadCases(filter: CaseFilter): readonly CorpusCase[] | undefined {
  const folder = findCorpus()
  if (folder === undefined) {
    if (!isAnnounced) process.stderr.write('\nSKIPPED: corpus not present\n')
    isAnnounced = true
    return undefined
  }
  const rows = z.array(rowSchema).parse(readJson(join(folder, 'index.json')))
  return rows
    .filter((row) => isWanted(row, filter))
    .map((row) => caseSchema.parse(readJson(join(folder, row.file))))
}

function isWanted(row: CorpusRow, filter: CaseFilter): boolean {
  if (filter.api !== undefined && row.api !== filter.api) return false
  if (filter.features?.every((feature) => row.features.includes(feature)) === false) return false
  return filter.where?.(row) ?? true
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}
