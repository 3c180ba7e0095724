import type { ProjectFile } from './project-file.ts';

/** Small enough to be read in a minute: one model, what can be asked of it, and some records to look at. */
export const STARTER: ProjectFile = {
  path: 'tasks.kiln',
  text: `/// Something to do.
model Task {
  field title { type string, validate { minLength(1) and maxLength(200) } }
  field done { type boolean, default false }
  field created_at { type timestamp, default now() }
}

api {
  entrypoint Task as task {
    path "tasks"
    response { id, title, done, created_at }

    /// What is still to do, the newest first.
    list endpoint { filter { done is false }, order by { created_at desc }, paginable }
    get endpoint {}
    create endpoint { action { create { input { title } } } }
    update endpoint { action { update { input { title, done } } } }
    delete endpoint {}
  }
}

/// Records to look at while developing.
populator Dev {
  populate Task { set title "Water the plants" }
  populate Task { set title "Book the train to Lisbon" }
  populate Task { set title "Call the landlord about the window" }
  populate Task { set title "Bring back the library books", set done true }
}
`,
};
