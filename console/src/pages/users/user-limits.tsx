import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ObjectView } from '../../../../src/admin/config/config-contract.ts'
import { budgetsOfQuery } from '../../budgets/budgets-of.ts'
import { LimitLines } from '../../budgets/limit-lines.tsx'
import { readLimits } from '../../budgets/written-limits.ts'
import { objectLines } from '../../changes/object-lines.ts'
import { OwnedByFile } from '../../changes/owned-by-file.tsx'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { UserLimitForm } from './user-limit-form.tsx'
import { userLimitQuery } from './user-limit-queries.ts'

/** The budgets and rates that all keys of a user share, with the amounts spent. */
export function UserLimits({ name }: { readonly name: string }) {
  const limits = useQuery(userLimitQuery(name))
  return (
    <section className="space-y-3">
      <h3 className="font-semibold">{t('users.limits')}</h3>
      {limits.isPending && <Skeleton rows={2} />}
      {limits.isError && <ErrorState error={limits.error} onRetry={() => void limits.refetch()} />}
      {limits.data !== undefined && <ShownLimits name={name} limits={limits.data ?? undefined} />}
    </section>
  )
}

interface ShownLimitsProps {
  readonly name: string
  readonly limits: ObjectView | undefined
}

function ShownLimits({ name, limits }: ShownLimitsProps) {
  const [isEditing, setEditing] = useState(false)
  const changes = useMay('PATCH /user-limits/{name}')
  const { budgets, rate } = readLimits(limits)
  const spent = useQuery({ ...budgetsOfQuery('user', name), enabled: budgets.length > 0 })
  return (
    <>
      {limits === undefined && <p className="text-muted">{t('users.limits.none')}</p>}
      {spent.isError && <ErrorState error={spent.error} onRetry={() => void spent.refetch()} />}
      <LimitLines budgets={budgets.length > 0 ? (spent.data ?? []) : []} rate={rate} />
      {limits?.owner === 'file' && <OwnedByFile document={objectLines('users', limits)} />}
      {changes && limits?.owner !== 'file' && (
        <Button isSmall icon="edit" onClick={() => setEditing(true)}>
          {limits === undefined ? t('users.limits.set') : t('users.limits.edit')}
        </Button>
      )}
      <Dialog isOpen={isEditing} onClose={() => setEditing(false)} title={t('users.limits.title', { name })}>
        <UserLimitForm user={name} limits={limits} onDone={() => setEditing(false)} />
      </Dialog>
    </>
  )
}
