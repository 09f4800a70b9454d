// View 4: the calendar on a time axis with the clock of the world, and the callers of deprecated operations.

import { parameter, setParameters } from '../model/location.ts'
import { Tabs } from '../parts/tabs.tsx'
import { CalendarPanel } from './calendar-panel.tsx'
import { CallersPanel } from './callers-panel.tsx'

export function TimeView() {
  const tab = parameter('tab') === 'callers' ? 'callers' : 'calendar'
  return (
    <div class="time-view">
      <Tabs
        label="Parts of the view"
        tabs={[
          { id: 'calendar', title: 'Calendar' },
          { id: 'callers', title: 'Who still calls what' },
        ]}
        chosen={tab}
        onChoose={chosen => setParameters({ tab: chosen === 'calendar' ? undefined : chosen }, 'push')}
      >
        {tab === 'calendar' ? <CalendarPanel /> : <CallersPanel />}
      </Tabs>
    </div>
  )
}
