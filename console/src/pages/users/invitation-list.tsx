import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type LinkList,
  linkListSchema,
  withdrawnLinkSchema,
} from '../../../../src/admin/people/people-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { writeAuthor } from '../../changes/write-actor.ts'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { TimeText } from '../../ui/text.tsx'
import { showToast } from '../../ui/toasts.tsx'

type ListedLink = LinkList['data'][number]

/** The unused links, without their secrets. */
export function InvitationList() {
  const [withdrawn, setWithdrawn] = useState<ListedLink>()
  const withdraws = useMay('DELETE /links/{id}')
  const links = useQuery({
    queryKey: ['links'],
    queryFn: ({ signal }) => callApi({ path: '/links', answer: linkListSchema, signal }),
  })
  return (
    <Card isFlush>
      {links.isPending && <Skeleton />}
      {links.isError && <ErrorState error={links.error} onRetry={() => void links.refetch()} />}
      {links.data?.data.length === 0 && (
        <EmptyState icon="share" title={t('users.invitations.none')}>
          {t('users.invitations.none.advice')}
        </EmptyState>
      )}
      <ul className="divide-y divide-line">
        {links.data?.data.map((link) => (
          <LinkRow key={link.id} link={link} onWithdraw={withdraws ? () => setWithdrawn(link) : undefined} />
        ))}
      </ul>
      <WithdrawDialog link={withdrawn} onClose={() => setWithdrawn(undefined)} />
    </Card>
  )
}

interface LinkRowProps {
  readonly link: ListedLink
  readonly onWithdraw: (() => void) | undefined
}

function LinkRow({ link, onWithdraw }: LinkRowProps) {
  const { type, role, name, groups, expires_at: expires, created_by_fact: author } = link
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-1.5 font-medium">
          {name ?? t('users.invitations.anybody')}
          <Badge tone="accent">{t(`users.link.${type}`)}</Badge>
          {role !== null && <Badge>{t(`role.${role}`)}</Badge>}
          {groups.map(({ group }) => (
            <Badge key={group}>{group}</Badge>
          ))}
        </p>
        <p className="text-[0.8125rem] text-muted">
          {t('users.invitations.by', { name: writeAuthor({ author }) })} · {t('link.expires')}{' '}
          <TimeText at={expires} style="distance" />
        </p>
      </div>
      {onWithdraw !== undefined && (
        <Button isSmall onClick={onWithdraw}>
          {t('users.withdraw')}
        </Button>
      )}
    </li>
  )
}

interface WithdrawDialogProps {
  readonly link: ListedLink | undefined
  readonly onClose: () => void
}

function WithdrawDialog({ link, onClose }: WithdrawDialogProps) {
  const client = useQueryClient()
  const withdraw = async () => {
    const path = `/links/${encodeURIComponent(link?.id ?? '')}`
    await callApi({ method: 'DELETE', path, answer: withdrawnLinkSchema })
    showToast(t('users.withdrawn'))
    await client.invalidateQueries({ queryKey: ['links'] })
  }
  return (
    <ConfirmDialog
      isOpen={link !== undefined}
      onClose={onClose}
      isDangerous
      onConfirm={withdraw}
      title={t('users.withdraw.title')}
      confirm={t('users.withdraw')}
    >
      <p>{t('users.withdraw.why')}</p>
    </ConfirmDialog>
  )
}
