import { type ReactNode, useState } from 'react'
import { t } from '../language/language.ts'
import { Button } from './button.tsx'

const FIRST_ROWS = 20
const NEXT_ROWS = 100

interface InPartsProps<Row> {
  readonly rows: readonly Row[]
  readonly children: (row: Row) => ReactNode
}

/** A list of which a long one shows its first rows, and a button with the number of the others. */
export function InParts<Row>({ rows, children }: InPartsProps<Row>) {
  const [shown, setShown] = useState(FIRST_ROWS)
  const left = rows.length - shown
  return (
    <>
      <ul className="divide-y divide-line border-t border-line">{rows.slice(0, shown).map(children)}</ul>
      {left > 0 && (
        <div className="border-t border-line px-4 py-3">
          <Button isSmall onClick={() => setShown(shown + NEXT_ROWS)}>
            {t('list.more', { count: left })}
          </Button>
        </div>
      )}
    </>
  )
}
