import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  revokedTokenSchema,
  type TokenView,
  tokenListSchema,
} from '../../../../src/admin/people/people-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { t } from '../../language/language.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { TimeText } from '../../ui/text.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { CreateTokenDialog } from './create-token-dialog.tsx'

export function TokensCard() {
  const [isCreating, setCreating] = useState(false)
  const [revoked, setRevoked] = useState<TokenView>()
  const tokens = useQuery({
    queryKey: ['tokens', 'me'],
    queryFn: ({ signal }) => callApi({ path: '/tokens', answer: tokenListSchema, signal }),
  })
  return (
    <Card
      title={t('account.tokens')}
      isFlush
      actions={
        <Button isSmall icon="plus" onClick={() => setCreating(true)}>
          {t('account.tokens.create')}
        </Button>
      }
    >
      <p className="px-4 pb-3 text-muted">{t('account.tokens.why')}</p>
      {tokens.isPending && <Skeleton />}
      {tokens.isError && <ErrorState error={tokens.error} onRetry={() => void tokens.refetch()} />}
      {tokens.data?.data.length === 0 && <p className="px-4 pb-4 text-muted">{t('account.tokens.none')}</p>}
      <ul className="divide-y divide-line">
        {tokens.data?.data.map((token) => (
          <TokenRow key={token.id} token={token} onRevoke={() => setRevoked(token)} />
        ))}
      </ul>
      <CreateTokenDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <RevokeDialog token={revoked} onClose={() => setRevoked(undefined)} />
    </Card>
  )
}

function TokenRow({ token, onRevoke }: { readonly token: TokenView; readonly onRevoke: () => void }) {
  const { name, hint, scopes, last_used_at: usedAt } = token
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">
          {name} <code className="text-muted">{hint}…</code>
        </p>
        <p className="text-[0.8125rem] break-words text-muted">
          {scopes.join(', ')} ·{' '}
          {usedAt === null ? t('account.tokens.never_used') : <TimeText at={usedAt} style="distance" />}
        </p>
      </div>
      <Button isSmall onClick={onRevoke}>
        {t('account.tokens.revoke')}
      </Button>
    </li>
  )
}

interface RevokeDialogProps {
  readonly token: TokenView | undefined
  readonly onClose: () => void
}

function RevokeDialog({ token, onClose }: RevokeDialogProps) {
  const client = useQueryClient()
  const { id = '', name = '' } = token ?? {}
  const revoke = async () => {
    await callApi({ method: 'DELETE', path: `/tokens/${encodeURIComponent(id)}`, answer: revokedTokenSchema })
    showToast(t('account.tokens.revoked', { name }))
    await client.invalidateQueries({ queryKey: ['tokens'] })
  }
  return (
    <ConfirmDialog
      isOpen={token !== undefined}
      onClose={onClose}
      isDangerous
      onConfirm={revoke}
      title={t('account.tokens.revoke.title', { name })}
      confirm={t('account.tokens.revoke')}
    >
      <p>{t('account.tokens.revoke.why')}</p>
    </ConfirmDialog>
  )
}
