import { useState } from 'react'
import { writeMoment } from '../language/format.ts'
import { t } from '../language/language.ts'
import { ScrollRegion } from '../ui/scroll-region.tsx'
import type { ChartData } from './chart-data.ts'
import { writeValue } from './write-value.ts'

interface ChartTableProps {
  readonly label: string
  readonly data: ChartData
  readonly write: (value: number) => string
}

/** The numbers of a chart as a table, rendered when the user opens it. */
export function ChartTable({ label, data: { times, series }, write }: ChartTableProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details className="mt-1 text-xs" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="inline-block rounded text-muted hover:text-ink">{t('chart.table')}</summary>
      {isOpen && (
        <ScrollRegion label={label} className="mt-2 max-h-56 overflow-auto rounded-lg border border-line">
          <table className="w-full">
            <thead className="sticky top-0 bg-surface text-left text-muted">
              <tr>
                <th scope="col" className="px-3 py-1.5 font-medium">
                  {t('chart.time')}
                </th>
                {series.map(({ id, label: name }) => (
                  <th key={id} scope="col" className="px-3 py-1.5 text-right font-medium">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times.map((time, index) => (
                <tr key={time} className="border-t border-line">
                  <th scope="row" className="px-3 py-1 text-left font-normal whitespace-nowrap">
                    {writeMoment(time)}
                  </th>
                  {series.map(({ id, values }) => (
                    <td key={id} className="px-3 py-1 text-right tabular-nums">
                      {writeValue(values[index], write)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollRegion>
      )}
    </details>
  )
}
