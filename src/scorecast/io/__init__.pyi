from .arrays import read_archive as read_archive
from .class_weights import (
    ClassWeights as ClassWeights,
    read_class_weights as read_class_weights,
)
from .examples import (
    CharacterExample as CharacterExample,
    MatchExample as MatchExample,
    load_characters as load_characters,
    load_matches as load_matches,
)
from .files import (
    FILE_FORMATS as FILE_FORMATS,
    FileFormat as FileFormat,
    FileHash as FileHash,
    FileLayout as FileLayout,
    Holds as Holds,
    InputFile as InputFile,
    find_file as find_file,
    hash_file as hash_file,
    unchanged as unchanged,
)
from .labels import (
    Labels as Labels,
    read_labels as read_labels,
    refuse_empty as refuse_empty,
)
from .matrices import (
    CostTable as CostTable,
    Matrix as Matrix,
    read_costs as read_costs,
    read_matrix as read_matrix,
    read_vector_columns as read_vector_columns,
)
from .scores import ScoreFile as ScoreFile, read_scores as read_scores
from .survival import (
    EVENT_WORDS as EVENT_WORDS,
    Covariate as Covariate,
    NewSamplesFile as NewSamplesFile,
    SurvivalFile as SurvivalFile,
    read_new_samples as read_new_samples,
    read_survival as read_survival,
)
from .tables import (
    Columns as Columns,
    Dataset as Dataset,
    column_names as column_names,
    read_columns as read_columns,
    read_dataset as read_dataset,
    read_results as read_results,
)
from .writing import (
    check_writable as check_writable,
    read_json as read_json,
    write_bytes as write_bytes,
    write_json as write_json,
    write_table as write_table,
    write_text as write_text,
)
