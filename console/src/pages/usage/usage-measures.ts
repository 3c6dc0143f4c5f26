import type { UsageSumsView } from '../../../../src/admin/ledger/usage-contract.ts'
import { writeCount, writeShortCount, writeShortUsd, writeUsd } from '../../language/format.ts'
import type { Measure } from './usage-search.ts'

export function measureOf(measure: Measure, sums: UsageSumsView): number {
  switch (measure) {
    case 'cost':
      return sums.cost_usd
    case 'charged':
      return sums.charged_usd
    case 'requests':
      return sums.requests
    case 'failed':
      return sums.failed
    case 'tokens':
      return sumInput(sums) + sums.usage.output_tokens
  }
}

export function sumInput({ usage }: UsageSumsView): number {
  return (
    usage.fresh_input_tokens +
    usage.cache_read_tokens +
    usage.cache_write_short_tokens +
    usage.cache_write_long_tokens
  )
}

function isMoney(measure: Measure): boolean {
  return measure === 'cost' || measure === 'charged'
}

export function writeMeasure(measure: Measure, value: number): string {
  return isMoney(measure) ? writeUsd(value) : writeCount(value)
}

export function writeShortMeasure(measure: Measure, value: number): string {
  return isMoney(measure) ? writeShortUsd(value) : writeShortCount(value)
}
