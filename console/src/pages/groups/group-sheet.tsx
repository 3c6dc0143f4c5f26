import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type GroupView, groupViewSchema } from '../../../../src/admin/groups/group-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { anyAnswerSchema } from '../../api/session.ts'
import { describeLimit } from '../../budgets/budget-meter.tsx'
import { describeRate } from '../../budgets/limit-lines.tsx'
import { ChangeEffects } from '../../changes/change-effects.tsx'
import { objectLines } from '../../changes/object-lines.ts'
import { useAddToDraft } from '../../changes/open-draft.ts'
import { OwnedByFile } from '../../changes/owned-by-file.tsx'
import { t } from '../../language/language.ts'
import { writeCapture } from '../../settings/capture-text.ts'
import { useMay, useMe, usePermissions } from '../../shell/use-me.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { DetailList } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { Absent } from '../../ui/text.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { readGroup } from './group-draft.ts'
import { GroupForm } from './group-form.tsx'
import { GroupMembers } from './group-members.tsx'
import { GroupUse } from './group-use.tsx'

interface GroupSheetProps {
  readonly name: string
  readonly onClose: () => void
}

/** One group, next to the list. */
export function GroupSheet({ name, onClose }: GroupSheetProps) {
  const group = useQuery({
    queryKey: ['groups', 'one', name],
    queryFn: ({ signal }) =>
      callApi({ path: `/groups/${encodeURIComponent(name)}`, answer: groupViewSchema, signal }),
  })
  return (
    <Dialog isOpen onClose={onClose} shape="side" title={name}>
      {group.isPending && <Skeleton rows={6} />}
      {group.isError && <ErrorState error={group.error} onRetry={() => void group.refetch()} />}
      {group.data !== undefined && <GroupBody group={group.data} onGone={onClose} />}
    </Dialog>
  )
}

interface GroupBodyProps {
  readonly group: GroupView
  readonly onGone: () => void
}

function GroupBody({ group, onGone }: GroupBodyProps) {
  const [isEditing, setEditing] = useState(false)
  const manages = useMay('PATCH /groups/{name}')
  const { seesAll } = usePermissions()
  const { groups } = useMe()
  const seesMembers = seesAll || groups.some(({ group: own, manager }) => manager && own === group.name)
  if (isEditing) return <GroupForm group={group} onDone={() => setEditing(false)} />
  return (
    <div className="space-y-5">
      {manages && group.owner === 'api' && (
        <GroupControls group={group} onEdit={() => setEditing(true)} onGone={onGone} />
      )}
      <GroupFacts group={group} />
      <GroupUse group={group.name} />
      {seesMembers && <GroupMembers group={group.name} />}
      {seesAll && group.owner === 'file' && <OwnedByFile document={objectLines('groups', group)} />}
    </div>
  )
}

interface GroupControlsProps extends GroupBodyProps {
  readonly onEdit: () => void
}

function GroupControls({ group: { name }, onEdit, onGone }: GroupControlsProps) {
  const client = useQueryClient()
  const [isDeleting, setDeleting] = useState(false)
  const addToDraft = useAddToDraft()
  const removal = { kind: 'groups', name, change: 'remove' } as const
  const remove = async () => {
    const path = `/groups/${encodeURIComponent(name)}`
    await callApi({ method: 'DELETE', path, answer: anyAnswerSchema })
    showToast(t('groups.deleted', { name }))
    onGone()
    await client.invalidateQueries({ queryKey: ['groups'] })
  }
  return (
    <div className="flex flex-wrap gap-2">
      <Button icon="edit" onClick={onEdit}>
        {t('groups.edit')}
      </Button>
      <Button icon="trash" onClick={() => setDeleting(true)}>
        {t('groups.delete')}
      </Button>
      <ConfirmDialog
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        isDangerous
        onConfirm={remove}
        onDraft={() => addToDraft(removal)}
        title={t('groups.delete.title', { name })}
        confirm={t('groups.delete')}
      >
        <p>{t('groups.delete.why')}</p>
        <ChangeEffects change={removal} />
      </ConfirmDialog>
    </div>
  )
}

function GroupFacts({ group }: { readonly group: GroupView }) {
  const { models = ['*'], multiplier, budgets, rate, passthrough = [] } = readGroup(group)
  const limits = describeRate(rate)
  return (
    <DetailList
      rows={[
        [t('owner.label'), t(`owner.${group.owner}`)],
        [
          t('nav.models'),
          <span key="models" className="flex flex-wrap gap-1">
            {models.map((model) => (
              <Badge key={model} isWhole>
                {model === '*' ? t('groups.models.all') : model}
              </Badge>
            ))}
          </span>,
        ],
        [
          t('budget.list'),
          budgets.length === 0 ? (
            <Absent key="none" />
          ) : (
            budgets.map((limit) => describeLimit(limit)).join(', ')
          ),
        ],
        [t('rate.title'), limits.length === 0 ? <Absent key="none" /> : limits.join(', ')],
        [t('groups.multiplier'), String(multiplier ?? 1)],
        ...(passthrough.length === 0 ? [] : [[t('keys.passthrough'), passthrough.join(', ')] as const]),
        [
          t('groups.managers'),
          group.managers.length === 0 ? <Absent key="none" /> : group.managers.join(', '),
        ],
        [t('nav.keys'), group.keys === null ? <Absent key="none" /> : String(group.keys)],
        [t('capture.label'), writeCapture(group.capture) ?? <Absent key="none" />],
      ]}
    />
  )
}
