import { t } from '../language/language.ts'

/** A value of a chart in words, including a missing one. */
export function writeValue(value: number | null | undefined, write: (value: number) => string): string {
  return value === null || value === undefined ? t('chart.no_value') : write(value)
}
