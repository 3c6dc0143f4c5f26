import { useQuery } from '@tanstack/react-query'
import { type NodeList, type NodeView, nodeListSchema } from '../../../../src/admin/nodes/node-contract.ts'
import { callApi } from '../../api/call-api.ts'
import { writeCount } from '../../language/format.ts'
import { t } from '../../language/language.ts'
import { Badge, StatusText, type Tone } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Banner, ErrorState, Skeleton } from '../../ui/states.tsx'
import { Absent, Code, TimeText } from '../../ui/text.tsx'

const REFRESH_MS = 5_000
/** The number of shown digits of a fingerprint, enough to distinguish files. The tooltip has all of them. */
const SHOWN_DIGITS = 7

/** The nodes of the installation, and whether they serve the same configuration. */
export function NodesPage() {
  const nodes = useQuery({
    queryKey: ['nodes'],
    queryFn: ({ signal }) => callApi({ path: '/nodes', answer: nodeListSchema, signal }),
    refetchInterval: REFRESH_MS,
  })
  return (
    <>
      <PageHeader title={t('nav.nodes')} description={t('nodes.description')} />
      {nodes.isPending && <Skeleton rows={4} />}
      {nodes.isError && <ErrorState error={nodes.error} onRetry={() => void nodes.refetch()} />}
      {nodes.data !== undefined && <Nodes list={nodes.data} />}
    </>
  )
}

function Nodes({ list }: { readonly list: NodeList }) {
  return (
    <div className="space-y-4">
      {list.files_differ && <Banner tone="warn">{t('nodes.files_differ')}</Banner>}
      {list.config_versions_differ && <Banner tone="accent">{t('nodes.versions_differ')}</Banner>}
      <Card isFlush className="overflow-clip">
        <DataTable
          label={t('nav.nodes')}
          columns={nodeColumns()}
          rows={list.data}
          keyOf={({ name }) => name}
        />
      </Card>
      {list.store === 'sqlite' && <p className="text-muted">{t('nodes.sqlite')}</p>}
    </div>
  )
}

const tones: Readonly<Record<NodeView['state'], Tone>> = {
  ready: 'good',
  draining: 'warn',
  'not-ready': 'bad',
}

function nodeColumns(): readonly Column<NodeView>[] {
  return [
    {
      id: 'name',
      header: t('nodes.name'),
      cell: ({ name, is_this: isThis }) => (
        <span className="inline-flex max-w-full items-center gap-2" title={name}>
          <span className="truncate">{name}</span>
          {isThis && <Badge>{t('nodes.this')}</Badge>}
        </span>
      ),
    },
    {
      id: 'state',
      header: t('nodes.state'),
      className: 'w-28',
      cell: ({ state }) => <StatusText tone={tones[state]}>{t(`nodes.state.${state}`)}</StatusText>,
    },
    {
      id: 'streams',
      header: t('nodes.streams'),
      className: 'w-24 max-md:hidden',
      align: 'end',
      cell: ({ streams }) => writeCount(streams),
    },
    {
      id: 'config',
      header: t('nodes.config'),
      className: 'w-31 max-md:hidden',
      align: 'end',
      cell: ({ config_version: version }) => (version === null ? <Absent /> : writeCount(version)),
    },
    {
      id: 'file',
      header: t('nodes.file'),
      className: 'w-26',
      cell: ({ file_fingerprint: file, file_differs: differs }) =>
        differs ? (
          <Badge tone="warn" title={file}>
            {t('nodes.file.differs')}
          </Badge>
        ) : (
          <span title={file}>
            <Code>{file.slice(0, SHOWN_DIGITS)}</Code>
          </span>
        ),
    },
    {
      id: 'version',
      header: t('nodes.version'),
      className: 'w-24 max-xl:hidden',
      cell: ({ version }) => version,
    },
    ...timeColumns(),
  ]
}

function timeColumns(): readonly Column<NodeView>[] {
  return [
    {
      id: 'started',
      header: t('nodes.started'),
      className: 'w-34 max-xl:hidden',
      align: 'end',
      cell: ({ started_at: at }) => <TimeText at={at} style="distance" />,
    },
    {
      id: 'seen',
      header: t('nodes.seen'),
      className: 'w-34 max-lg:hidden',
      align: 'end',
      cell: ({ seen_at: at }) => <TimeText at={at} style="distance" />,
    },
  ]
}
