// Workers: several processes that serve one API, for `serve --workers`.

import { mustBe, type Wing } from '../../cli/command.ts'

export const workers: Wing = {
  name: 'workers',
  extensions: {
    serve: {
      options: {
        workers: {
          takes: 'N',
          about: 'serve with N processes, which share state through Redis',
          fault: mustBe('a number of processes', text => /^\d{1,3}$/.test(text) && Number(text) > 0),
        },
      },
      processes({ values: { workers: count } }) {
        if (count === undefined) return undefined
        return import('./processes.ts').then(({ WorkerProcesses }) => new WorkerProcesses(Number(count)))
      },
    },
  },
}
