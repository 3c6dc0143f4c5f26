import { useState } from 'react'
import { type VersionView, versionListSchema } from '../../../../src/admin/config/config-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { usePages } from '../../api/use-pages.ts'
import { writeAuthor } from '../../changes/write-actor.ts'
import { writeDetail } from '../../changes/write-detail.ts'
import { t } from '../../language/language.ts'
import { useMay } from '../../shell/use-me.ts'
import { StatusText, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { PagedTable } from '../../ui/paged-table.tsx'
import { RowLink } from '../../ui/row-link.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { TimeText } from '../../ui/text.tsx'
import { UndoDialog } from './step-dialogs.tsx'
import { VersionSheet } from './version-sheet.tsx'
import { writeComment } from './write-comment.ts'

const PAGE_ROWS = 50

const versionTones: Readonly<Record<VersionView['status'], Tone>> = {
  serving: 'good',
  not_usable: 'bad',
  superseded: 'neutral',
}

interface VersionListProps {
  /** The number of the open version. */
  readonly opened: number | undefined
  readonly onOpen: (version: number | undefined) => void
}

/** Every version of the changes made here, the newest first. */
export function VersionList({ opened, onOpen }: VersionListProps) {
  const undoes = useMay('POST /config/undo')
  const [isUndoing, setUndoing] = useState(false)
  const pages = usePages({ queryKey: ['config', 'versions'], fetchPage: fetchVersions })
  const [newest] = pages.rows
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-3xl text-muted">
          {t(undoes ? 'settings.versions.why' : 'settings.versions.why.view')}
        </p>
        {undoes && newest !== undefined && (
          <Button icon="undo" onClick={() => setUndoing(true)}>
            {t('settings.undo')}
          </Button>
        )}
      </div>
      <PagedTable
        label={t('settings.versions')}
        columns={versionColumns()}
        pages={pages}
        keyOf={({ version }) => version}
        empty={
          <EmptyState icon="undo" title={t('settings.versions.none')}>
            {t('settings.versions.none.advice')}
          </EmptyState>
        }
      />
      {opened !== undefined && (
        <VersionSheet version={opened} newest={newest?.version} onClose={() => onOpen(undefined)} />
      )}
      <UndoDialog newest={newest} isOpen={isUndoing} onClose={() => setUndoing(false)} />
    </>
  )
}

async function fetchVersions(before: string | number | undefined, signal: AbortSignal) {
  const { data, next_before: next } = await callApi({
    path: '/config/versions',
    query: { limit: PAGE_ROWS, before },
    answer: versionListSchema,
    signal,
  })
  return { rows: data, next }
}

function versionColumns(): readonly Column<VersionView>[] {
  return [
    {
      id: 'version',
      header: t('settings.versions.number'),
      className: 'w-28 max-sm:w-20',
      cell: ({ version }) => (
        <RowLink to="/settings" search={{ tab: 'versions', version }}>
          {String(version)}
        </RowLink>
      ),
    },
    {
      id: 'changes',
      header: t('settings.versions.changes'),
      className: 'max-md:hidden',
      cell: (version) => writeComment(version) ?? version.change_facts.map(writeDetail).join(' · '),
    },
    {
      id: 'status',
      header: t('common.status'),
      className: 'w-36 max-sm:hidden',
      cell: ({ status }) => (
        <StatusText tone={versionTones[status]}>{t(`settings.versions.${status}`)}</StatusText>
      ),
    },
    {
      id: 'author',
      header: t('settings.versions.author'),
      className: 'w-36 max-sm:w-auto',
      cell: ({ actor }) => writeAuthor(actor),
    },
    {
      id: 'at',
      header: t('settings.versions.at'),
      className: 'w-36 max-sm:w-28',
      align: 'end',
      cell: ({ created_at: at }) => <TimeText at={at} style="distance" />,
    },
  ]
}
