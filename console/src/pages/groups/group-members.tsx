import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { type MemberView, memberListSchema } from '../../../../src/admin/groups/group-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { explainError } from '../../api/describe-error.ts'
import { anyAnswerSchema } from '../../api/session.ts'
import { usePages } from '../../api/use-pages.ts'
import { FormFrame } from '../../forms/form-frame.tsx'
import { TextInput } from '../../forms/inputs.tsx'
import { useForm } from '../../forms/use-form.ts'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { useUserNames } from '../../suggestions/people-names.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { showToast } from '../../ui/toasts.tsx'

/** The users of a group. Users who manage people add and remove them here. */
export function GroupMembers({ group }: { readonly group: string }) {
  const adds = useMay('PUT /groups/{name}/members/{user}')
  const [removed, setRemoved] = useState<MemberView>()
  const { rows, isPending, error, refetch, onMore } = usePages({
    queryKey: ['groups', 'members', group],
    async fetchPage(after, signal) {
      const { data, next_after: next } = await callApi({
        path: `/groups/${encodeURIComponent(group)}/members`,
        query: { after },
        answer: memberListSchema,
        signal,
      })
      return { rows: data, next }
    },
  })
  return (
    <section className="space-y-3">
      <h3 className="font-semibold">{t('groups.members')}</h3>
      {isPending && <Skeleton />}
      {error !== null && <ErrorState error={error} onRetry={refetch} />}
      {!isPending && error === null && rows.length === 0 && (
        <p className="text-muted">{t('groups.members.none')}</p>
      )}
      <ul className="divide-y divide-line">
        {rows.map((member) => (
          <MemberRow key={member.id} group={group} member={member} onRemove={() => setRemoved(member)} />
        ))}
      </ul>
      {onMore !== undefined && <Button onClick={onMore}>{t('groups.members.more')}</Button>}
      {adds && <AddMember group={group} />}
      <RemoveDialog group={group} member={removed} onClose={() => setRemoved(undefined)} />
    </section>
  )
}

function memberPath(group: string, user: string): string {
  return `/groups/${encodeURIComponent(group)}/members/${encodeURIComponent(user)}`
}

interface MemberRowProps {
  readonly group: string
  readonly member: MemberView
  readonly onRemove: () => void
}

function MemberRow({ group, member: { id, name, role, manager }, onRemove }: MemberRowProps) {
  const client = useQueryClient()
  const changes = useMay('PUT /groups/{name}/members/{user}')
  const put = useMutation({
    mutationFn: () =>
      callApi({
        method: 'PUT',
        path: memberPath(group, id),
        body: { manager: !manager },
        answer: anyAnswerSchema,
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['groups'] }),
    onError: (error) => showToast(explainError(error), { tone: 'bad' }),
  })
  return (
    <li className="flex flex-wrap items-center gap-2 py-2">
      <span className="min-w-0 flex-1 truncate">{name}</span>
      <Badge>{t(`role.${role}`)}</Badge>
      {manager && <Badge tone="accent">{t('account.manager')}</Badge>}
      {changes && (
        <>
          <Button isSmall isBusy={put.isPending} onClick={() => put.mutate()}>
            {manager ? t('groups.manager.remove') : t('groups.manager.make')}
          </Button>
          <Button isSmall onClick={onRemove}>
            {t('groups.members.remove')}
          </Button>
        </>
      )}
    </li>
  )
}

const initial = { user: '' }

function AddMember({ group }: { readonly group: string }) {
  const client = useQueryClient()
  const users = useUserNames()
  const form = useForm({
    name: `member.${group}`,
    initial,
    schema: z.object({
      user: z
        .string()
        .trim()
        .min(1, { error: t('form.required') }),
    }),
    async submit({ user }) {
      await callApi({ method: 'PUT', path: memberPath(group, user), body: {}, answer: anyAnswerSchema })
      form.reset()
      showToast(t('groups.members.added', { user, group }))
      await client.invalidateQueries({ queryKey: ['groups'] })
    },
  })
  return (
    <FormFrame form={form} submit={t('groups.members.add')}>
      <TextInput field={form.bind('user')} label={t('groups.members.user')} suggestions={users} />
    </FormFrame>
  )
}

interface RemoveDialogProps {
  readonly group: string
  readonly member: MemberView | undefined
  readonly onClose: () => void
}

function RemoveDialog({ group, member, onClose }: RemoveDialogProps) {
  const client = useQueryClient()
  const { id = '', name = '' } = member ?? {}
  const remove = async () => {
    await callApi({ method: 'DELETE', path: memberPath(group, id), answer: anyAnswerSchema })
    showToast(t('groups.members.removed', { user: name, group }))
    await client.invalidateQueries({ queryKey: ['groups'] })
  }
  return (
    <ConfirmDialog
      isOpen={member !== undefined}
      onClose={onClose}
      isDangerous
      onConfirm={remove}
      title={t('groups.members.remove.title', { user: name, group })}
      confirm={t('groups.members.remove')}
    >
      <p>{t('groups.members.remove.why')}</p>
    </ConfirmDialog>
  )
}
