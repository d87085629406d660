-- The records of a built catalog. `pid` is a paper's dense number in order of its numeric id; the text index and the
-- vectors speak of papers by it. Ids are numeric catalog ids. Counts are computed when the catalog is built.
-- Fold columns hold the first 8 bytes of BLAKE2b of the folded text as a signed integer: an index hit is checked
-- against the text itself. Lists that are read whole with their owner are JSON text.

PRAGMA user_version = 1;

CREATE TABLE paper (
  pid INTEGER PRIMARY KEY,
  id INTEGER NOT NULL UNIQUE,
  arxiv_id TEXT, slug TEXT NOT NULL, doi TEXT,
  title TEXT, abstract TEXT,
  title_plain INTEGER, title_key INTEGER, short_plain INTEGER, short_key INTEGER,
  published TEXT,                  -- as precise as known
  published_day INTEGER,           -- proleptic Gregorian ordinal of the first day of its period
  venue TEXT, conference_id INTEGER,
  url_abs TEXT, url_pdf TEXT, source_url TEXT,
  citation_count INTEGER, velocity REAL, is_retracted INTEGER, version TEXT, is_latest INTEGER NOT NULL DEFAULT 1,
  source TEXT NOT NULL,            -- arxiv or external
  authors TEXT NOT NULL DEFAULT '[]',         -- JSON list of names, whole and in order
  author_count INTEGER NOT NULL DEFAULT 0,
  has_official INTEGER NOT NULL DEFAULT 0,
  repository_count INTEGER,        -- null when no source of the paper speaks of code
  trending_rank INTEGER NOT NULL, trending_rank_asc INTEGER NOT NULL,
  published_rank INTEGER NOT NULL, published_rank_asc INTEGER NOT NULL,
  citation_rank INTEGER NOT NULL, citation_rank_asc INTEGER NOT NULL
);
CREATE UNIQUE INDEX paper_arxiv ON paper(arxiv_id) WHERE arxiv_id IS NOT NULL;
CREATE UNIQUE INDEX paper_slug ON paper(slug);
CREATE INDEX paper_title_plain ON paper(title_plain) WHERE title_plain IS NOT NULL;
CREATE INDEX paper_title_key ON paper(title_key) WHERE title_key IS NOT NULL;
CREATE INDEX paper_short_plain ON paper(short_plain) WHERE short_plain IS NOT NULL;
CREATE INDEX paper_short_key ON paper(short_key) WHERE short_key IS NOT NULL;
-- holds all that a window of papers above a velocity asks for
CREATE INDEX paper_velocity ON paper(published_day, velocity, trending_rank, is_latest) WHERE velocity IS NOT NULL;

-- value is the folded id of core.identifiers.Identifier.key without its kind (arXiv ids without class and version)
CREATE TABLE identifier (
  scheme TEXT NOT NULL, value TEXT NOT NULL, pid INTEGER NOT NULL,
  PRIMARY KEY (scheme, value)
) WITHOUT ROWID;
CREATE INDEX identifier_pid ON identifier(pid);

CREATE TABLE author (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, name_plain INTEGER NOT NULL, hf_username TEXT, orcid TEXT,
  paper_count INTEGER NOT NULL
);
CREATE INDEX author_name ON author(name_plain);
CREATE INDEX author_hf ON author(hf_username COLLATE NOCASE) WHERE hf_username IS NOT NULL;
CREATE TABLE paper_author (
  pid INTEGER NOT NULL, position INTEGER NOT NULL, author_id INTEGER NOT NULL,
  PRIMARY KEY (pid, position)
) WITHOUT ROWID;

CREATE TABLE repository (
  pid INTEGER NOT NULL, position INTEGER NOT NULL, url TEXT NOT NULL, is_official INTEGER NOT NULL,
  mentioned_in_paper INTEGER, mentioned_in_repository INTEGER, framework TEXT, stars INTEGER,
  PRIMARY KEY (pid, position)      -- official first, then the source's order
) WITHOUT ROWID;
CREATE TABLE resource (
  pid INTEGER NOT NULL, kind TEXT NOT NULL, position INTEGER NOT NULL, value TEXT NOT NULL,
  PRIMARY KEY (pid, kind, position)
) WITHOUT ROWID;

-- One row for each area, task, method, conference, organization, framework and benchmark: what name resolution and
-- trigram suggestions need. `note` tells equal names apart.
CREATE TABLE entity (
  kind TEXT NOT NULL, id INTEGER NOT NULL, name TEXT NOT NULL, slug TEXT NOT NULL, full_name TEXT, note TEXT,
  PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX entity_slug ON entity(kind, slug);
-- level: name, full_name, alias (plain folds) or folded (key folds of name and full name)
CREATE TABLE entity_name (
  kind TEXT NOT NULL, level TEXT NOT NULL, fold TEXT NOT NULL, id INTEGER NOT NULL,
  PRIMARY KEY (kind, level, fold, id)
) WITHOUT ROWID;

CREATE TABLE area (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE task (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, slug TEXT NOT NULL, description TEXT, area_id INTEGER,
  level INTEGER NOT NULL DEFAULT 0, visible INTEGER NOT NULL DEFAULT 1, created_at TEXT,
  research_trends TEXT NOT NULL DEFAULT '[]', recommended_frameworks TEXT NOT NULL DEFAULT '[]',
  paper_count INTEGER NOT NULL, benchmark_count INTEGER NOT NULL, evaluation_count INTEGER NOT NULL
);
CREATE TABLE task_parent (
  task_id INTEGER NOT NULL, parent_id INTEGER NOT NULL, PRIMARY KEY (task_id, parent_id)
) WITHOUT ROWID;
CREATE INDEX task_parent_parent ON task_parent(parent_id);
CREATE TABLE paper_task (pid INTEGER NOT NULL, position INTEGER NOT NULL, task_id INTEGER NOT NULL,
  PRIMARY KEY (pid, position)) WITHOUT ROWID;
CREATE INDEX paper_task_task ON paper_task(task_id);

CREATE TABLE method (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, slug TEXT NOT NULL, full_name TEXT, description TEXT, area_id INTEGER,
  introduced_year INTEGER, source_pid INTEGER, source_url TEXT, source_title TEXT, created_at TEXT,
  paper_count INTEGER NOT NULL
);
CREATE TABLE paper_method (pid INTEGER NOT NULL, position INTEGER NOT NULL, method_id INTEGER NOT NULL,
  PRIMARY KEY (pid, position)) WITHOUT ROWID;
CREATE INDEX paper_method_method ON paper_method(method_id);

CREATE TABLE conference (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, slug TEXT NOT NULL, year INTEGER, location TEXT, start_date TEXT,
  end_date TEXT, venue TEXT, description TEXT, tier TEXT, url TEXT, hf_url TEXT, paper_count INTEGER NOT NULL
);
CREATE TABLE organization (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, slug TEXT NOT NULL, is_featured INTEGER, trending_rank INTEGER,
  description TEXT, website_url TEXT, github_url TEXT, hf_url TEXT, first_paper_year INTEGER,
  latest_paper_year INTEGER, paper_count INTEGER NOT NULL
);
CREATE TABLE paper_organization (pid INTEGER NOT NULL, position INTEGER NOT NULL, organization_id INTEGER NOT NULL,
  PRIMARY KEY (pid, position)) WITHOUT ROWID;
CREATE INDEX paper_organization_organization ON paper_organization(organization_id);
CREATE TABLE framework (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, slug TEXT NOT NULL, description TEXT, platforms TEXT NOT NULL DEFAULT '[]',
  domain_slug TEXT, domain_name TEXT, category_slug TEXT, category_name TEXT, organization_name TEXT, github_url TEXT,
  docs_url TEXT, when_to_use TEXT, introducing_pid INTEGER, paper_count INTEGER NOT NULL
);
CREATE TABLE paper_framework (pid INTEGER NOT NULL, position INTEGER NOT NULL, framework_id INTEGER NOT NULL,
  PRIMARY KEY (pid, position)) WITHOUT ROWID;
CREATE INDEX paper_framework_framework ON paper_framework(framework_id);

CREATE TABLE benchmark (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, slug TEXT NOT NULL, full_name TEXT, description TEXT, hf_url TEXT,
  metrics TEXT NOT NULL DEFAULT '[]',          -- JSON list of names in order
  metric_directions TEXT NOT NULL DEFAULT '{}', -- JSON object name -> higher|lower, only what a source recorded
  created_at TEXT,
  paper_count INTEGER NOT NULL, recent_paper_count INTEGER NOT NULL, evaluation_count INTEGER NOT NULL,
  open_count INTEGER NOT NULL, closed_count INTEGER NOT NULL,
  search_text TEXT NOT NULL,       -- key folds of name, full name and slug, blank-separated
  trending_rank INTEGER NOT NULL
);
CREATE TABLE benchmark_task (benchmark_id INTEGER NOT NULL, task_id INTEGER NOT NULL,
  PRIMARY KEY (benchmark_id, task_id)) WITHOUT ROWID;
CREATE INDEX benchmark_task_task ON benchmark_task(task_id);

CREATE TABLE evaluation (
  id INTEGER PRIMARY KEY, benchmark_id INTEGER NOT NULL, task_id INTEGER, pid INTEGER, paper_title TEXT,
  paper_published TEXT, model_name TEXT NOT NULL, harness TEXT,
  metrics TEXT NOT NULL,           -- JSON object in the source's order
  best_metric TEXT, best_rank INTEGER, is_open INTEGER, num_parameters INTEGER, split TEXT, methodology TEXT,
  result_url TEXT, source_url TEXT, external_source_url TEXT, code_url TEXT, hf_model_url TEXT, updated_at TEXT,
  uses_additional_data INTEGER
);
CREATE INDEX evaluation_benchmark ON evaluation(benchmark_id, best_rank, id);
CREATE INDEX evaluation_paper ON evaluation(pid) WHERE pid IS NOT NULL;

CREATE TABLE lineage (
  predecessor INTEGER NOT NULL, successor INTEGER NOT NULL, source TEXT NOT NULL,
  PRIMARY KEY (predecessor, successor)
) WITHOUT ROWID;
CREATE INDEX lineage_successor ON lineage(successor);

CREATE TABLE fulltext (
  pid INTEGER PRIMARY KEY, body BLOB NOT NULL, version TEXT NOT NULL, bytes INTEGER NOT NULL
);
