import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import type { SettingsView } from '../../../../src/admin/settings/settings-contract.ts'
import { t } from '../../language/language.ts'
import { settingsQuery } from '../../settings/settings-query.ts'
import { useMay } from '../../shell/use-me.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { RunningCard } from './running-card.tsx'
import { SectionList } from './section-list.tsx'
import type { SettingsSearch } from './settings-search.ts'
import { VersionList } from './version-list.tsx'

/** The running process, the settings in force, and every version of the console's changes. */
export function SettingsPage() {
  const search = useSearch({ from: '/frame/settings' })
  const navigate = useNavigate({ from: '/settings' })
  const change = useCallback(
    (next: Partial<SettingsSearch>) =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  )
  const undoes = useMay('POST /config/undo')
  const settings = useQuery(settingsQuery)
  return (
    <>
      <PageHeader
        title={t('nav.settings')}
        description={t(undoes ? 'settings.description' : 'settings.description.view')}
      />
      {settings.isPending && <Skeleton rows={8} />}
      {settings.isError && <ErrorState error={settings.error} onRetry={() => void settings.refetch()} />}
      {settings.data !== undefined && (
        <SettingsTabs settings={settings.data} search={search} onChange={change} />
      )}
    </>
  )
}

interface SettingsTabsProps {
  readonly settings: SettingsView
  readonly search: SettingsSearch
  readonly onChange: (next: Partial<SettingsSearch>) => void
}

function SettingsTabs({ settings, search, onChange: change }: SettingsTabsProps) {
  return (
    <Tabs
      label={t('nav.settings')}
      active={search.tab ?? 'running'}
      onChange={(tab) => change({ tab })}
      tabs={[
        { name: 'running', label: t('settings.running'), content: <RunningCard settings={settings} /> },
        {
          name: 'settings',
          label: t('settings.in_force'),
          content: <SectionList sections={settings.sections} search={search} onChange={change} />,
        },
        {
          name: 'versions',
          label: t('settings.versions'),
          content: <VersionList opened={search.version} onOpen={(version) => change({ version })} />,
        },
      ]}
    />
  )
}
