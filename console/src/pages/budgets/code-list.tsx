import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type CodeView, revokedCodeSchema } from '../../../../src/admin/credits/credit-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { usePages } from '../../api/use-pages.ts'
import { writeAuthor } from '../../changes/write-actor.ts'
import { writeUsd } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { StatusText, type Tone } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Absent, MoneyText, TimeText } from '../../ui/text.tsx'
import { showToast } from '../../ui/toasts.tsx'
import type { BudgetSearchProps } from './budget-search.ts'
import { fetchCodes } from './credit-queries.ts'
import { nameScope, shownReason } from './scope-words.ts'

const tones: Readonly<Record<CodeView['state'], Tone>> = {
  open: 'good',
  redeemed: 'neutral',
  revoked: 'bad',
  expired: 'warn',
}

/** Every redemption code, shown by its first characters. */
export function CodeList({ onChange }: Pick<BudgetSearchProps, 'onChange'>) {
  const manages = useMay('DELETE /codes/{id}')
  const [revoking, setRevoking] = useState<CodeView>()
  const pages = usePages({ queryKey: ['codes'], fetchPage: fetchCodes })
  return (
    <>
      <PagedTable
        label={t('budgets.tab.codes')}
        columns={codeColumns({
          manages,
          onRevoke: setRevoking,
          onOwner: (credit) => onChange({ tab: 'credits', credit }),
        })}
        pages={pages}
        keyOf={({ id }) => id}
        empty={
          <EmptyState icon="budget" title={t('codes.none')}>
            {t('codes.none.advice')}
          </EmptyState>
        }
      />
      <RevokeDialog code={revoking} onClose={() => setRevoking(undefined)} />
    </>
  )
}

interface CodeColumnOptions {
  readonly manages: boolean
  readonly onRevoke: (code: CodeView) => void
  readonly onOwner: (owner: string) => void
}

function codeColumns({ manages, onRevoke, onOwner }: CodeColumnOptions): readonly Column<CodeView>[] {
  return [
    {
      id: 'code',
      header: t('codes.code'),
      cell: ({ hint, reason }) => (
        <>
          <code>{hint}…</code>
          <span className="ml-2 text-muted max-sm:hidden">{shownReason(reason)}</span>
        </>
      ),
    },
    {
      id: 'state',
      header: t('common.status'),
      className: 'w-32 max-sm:w-26',
      cell: ({ state }) => <StatusText tone={tones[state]}>{t(`codes.state.${state}`)}</StatusText>,
    },
    {
      id: 'amount',
      header: t('credits.amount'),
      className: 'w-28 max-sm:w-20',
      align: 'end',
      cell: ({ amount_usd: amount }) => <MoneyText usd={amount} style="row" />,
    },
    {
      id: 'by',
      header: t('codes.redeemed_by'),
      className: 'w-44 max-lg:hidden',
      cell: ({ redeemed_by: owner }) =>
        owner === null ? (
          <Absent />
        ) : (
          <button type="button" onClick={() => onOwner(owner)} className="text-accent hover:underline">
            {nameScope(owner)}
          </button>
        ),
    },
    {
      id: 'until',
      header: t('codes.until'),
      className: 'w-36 max-md:hidden',
      cell: ({ expires_at: at }) => (at === null ? <Absent /> : <TimeText at={at} style="day" />),
    },
    {
      id: 'made',
      header: t('codes.made'),
      className: 'w-36 max-xl:hidden',
      cell: ({ created_at: at, author_fact: author }) => (
        <span title={writeAuthor({ author })}>
          <TimeText at={at} style="distance" />
        </span>
      ),
    },
    ...(manages ? [revokeColumn(onRevoke)] : []),
  ]
}

function revokeColumn(onRevoke: (code: CodeView) => void): Column<CodeView> {
  return {
    id: 'revoke',
    header: t('codes.revoke'),
    hidesHeader: true,
    className: 'w-14',
    align: 'end',
    cell: (code) =>
      code.state === 'open' && (
        <IconButton
          icon="trash"
          label={t('codes.revoke.one', { code: code.hint })}
          onClick={() => onRevoke(code)}
        />
      ),
  }
}

interface RevokeDialogProps {
  readonly code: CodeView | undefined
  readonly onClose: () => void
}

function RevokeDialog({ code, onClose }: RevokeDialogProps) {
  const client = useQueryClient()
  const revoke = async () => {
    if (code === undefined) return
    const path = `/codes/${encodeURIComponent(code.id)}`
    await callApi({ method: 'DELETE', path, answer: revokedCodeSchema })
    showToast(t('codes.revoked'))
    await client.invalidateQueries({ queryKey: ['codes'] })
  }
  return (
    <ConfirmDialog
      isOpen={code !== undefined}
      onClose={onClose}
      isDangerous
      onConfirm={revoke}
      title={t('codes.revoke.title', { code: code?.hint ?? '' })}
      confirm={t('codes.revoke')}
    >
      <p>{t('codes.revoke.why', { amount: writeUsd(code?.amount_usd ?? 0) })}</p>
    </ConfirmDialog>
  )
}
